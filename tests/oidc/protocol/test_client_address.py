"""Which addresses are public, and which network a caller belongs to."""

import ipaddress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oidc.plumbing.client_address import (
    client_network,
    compare_networks,
    is_public,
    is_public_name,
    is_within,
    network_prefix,
)
from oidc.types import Network


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"]
)
def test_internet_addresses_are_public(address: str) -> None:
    """As they are, mapped, or behind NAT64."""
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "shop.example", "0.1.2.3", "127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1",
        "168.63.129.16", "192.0.0.9", "192.88.99.1", "224.0.0.1", "255.255.255.255", "::",
        "::1", "fe80::1%eth0", "fd12:3456::1", "fec0::1", "ff0e::1", "2001:db8::1", "2001:1::1",
        "3fff:fff::1", "5f00::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1",
        "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "2002:7f00:1::1",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ],
)  # fmt: skip
def test_internal_addresses_are_not_public(address: str) -> None:
    """OWASP ASVS 5.0, 1.3.6: logout tokens are posted to no internal host."""
    assert not is_public(address)


INTERNAL = (
    "localhost", "gateway", "printer.local.", "metadata.google.internal", "nas.home.arpa",
    "fd12:3456::1", "127.1", "0x7f000001", "2852039166",
)  # fmt: skip


@pytest.mark.parametrize("host", ["shop.example", "8.8.8.8", "2606:4700:4700::1111", *INTERNAL])
def test_names_of_internal_hosts_are_known(host: str) -> None:
    """Also addresses as only resolvers read them."""
    assert is_public_name(host) is (host not in INTERNAL)


def test_clients_behind_nat64_are_counted_by_their_own_address() -> None:
    """One client does not use up the limit of all behind the gateway."""
    assert client_network("64:ff9b::8.8.8.8") == "8.8.8.8"
    assert client_network("64:ff9b::127.0.0.1") == "127.0.0.1"
    assert network_prefix("64:ff9b::8.8.8.8") == "8.8.8.0/24"


@pytest.mark.parametrize(
    ("address", "caller"),
    [
        *((each, "203.0.113.5") for each in ("203.0.113.5", "::ffff:203.0.113.5")),
        ("2001:db8:1:2233:4::5", "2001:db8:1:2200::/56"),
        ("fe80::1%eth0", "fe80::/56"),
        *dict.fromkeys(("127.0.0.1", "::1", "::ffff:127.0.0.1", "testclient", None)).items(),
    ],
)
def test_what_limits_count_by(address: str | None, caller: str | None) -> None:
    """One address of IPv4; of IPv6 what one customer has."""
    assert client_network(address) == caller


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("203.0.113.7", "203.0.113.200", Network.SAME),
        ("203.0.113.7", "203.0.114.7", Network.DIFFERENT),
        ("::ffff:203.0.113.7", "203.0.113.8", Network.SAME),
        ("2001:db8:1:23aa::1", "2001:db8:1:23bb::2", Network.SAME),
        ("2001:db8:1:2300::1", "2001:db8:1:2400::2", Network.DIFFERENT),
        ("2001:db8::1", "203.0.113.7", Network.DIFFERENT),
        ("::1", "203.0.113.7", Network.UNKNOWN),
        ("127.0.0.1", "127.0.0.1", Network.UNKNOWN),
        (None, "203.0.113.7", Network.UNKNOWN),
        ("unix:", "203.0.113.7", Network.UNKNOWN),
    ],
)
def test_networks_are_compared_by_their_first_part(
    one: str | None, other: str | None, expected: Network
) -> None:
    """As far as addresses can tell; both ways round."""
    assert compare_networks(network_prefix(one), network_prefix(other)) is expected
    assert compare_networks(network_prefix(other), network_prefix(one)) is expected


@given(st.text(max_size=40) | st.ip_addresses().map(str))
@example("fe80::1%eth0")
@example("::ffff:1.2.3.4%x")
def test_any_text_gives_a_network_or_none(address: str) -> None:
    """It may come from a header."""
    network, counted = network_prefix(address), client_network(address)

    assert network is None or str(ipaddress.ip_network(network)) == network
    assert counted is None or client_network(counted.partition("/")[0]) == counted
    assert is_public(address) in (True, False)


def test_an_address_is_in_named_networks_or_not() -> None:
    """However it is written; an unknown one is in none."""
    networks = ["10.1.0.0/16", "2001:db8:1::/48"]
    inside = ["10.1.255.9", "::ffff:10.1.0.1", "64:ff9b::10.1.0.1", "2001:db8:1::9%eth0"]
    outside = ["10.2.0.1", "2001:db8:2::9", "127.0.0.1", "testclient", None]

    assert all(is_within(each, networks) for each in inside)
    assert not any(is_within(each, networks) for each in outside)
