"""Which addresses are public, whatever they are wrapped in, and which are of one network."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oidc.protocol.client_address import (
    client_network,
    compare_networks,
    is_public,
    network_prefix,
)
from oidc.types import Network

PUBLIC_V4 = ("8.8.8.8", "1.1.1.1", "93.184.216.34", "223.255.255.254")
INSIDE_V4 = (
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.1.2.3", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255",
)  # fmt: skip
PUBLIC_V6 = ("2606:4700:4700::1111", "2a00:1450:4001:80e::200e", "2001:4860:4860::8888")
INSIDE_V6 = (
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1",
    "ff0e::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "64:ff9b:1::1", "2001:10::1",
    "2001:20::1", "4000::1", "e000::1",
)  # fmt: skip
WRAPPINGS = {
    "mapped": "::ffff:{0}",
    "compatible": "::{0}",
    "translated": "::ffff:0:{0}",
    "NAT64": "64:ff9b::{0}",
    "6to4": "2002:{1}::1",
    "ISATAP": "2a00:1450:4001:80e:0:5efe:{1}",
    "ISATAP, global": "2a00:1450:4001:80e:200:5efe:{1}",
    "Teredo": "2001:0:4136:e378:8000:63bf:{2}",
}


CHOSEN = ("ISATAP", "ISATAP, global")
"""Where the IPv4 address is in the part that the host chooses for itself."""

GIVEN = tuple(kind for kind in WRAPPINGS if kind not in CHOSEN)


def wrapped(kind: str, address: str) -> str:
    """Return an IPv6 address that leads to an IPv4 address."""
    number = int(ipaddress.IPv4Address(address))
    halves = [f"{each >> 16:x}:{each & 0xFFFF:x}" for each in (number, number ^ 0xFFFF_FFFF)]
    return WRAPPINGS[kind].format(address, *halves)


@pytest.mark.parametrize("address", PUBLIC_V4 + PUBLIC_V6)
def test_the_internet_is_public(address: str) -> None:
    """Clients there are told of logouts."""
    assert is_public(address)


@pytest.mark.parametrize("address", INSIDE_V4 + INSIDE_V6 + ("", "shop.example", "1", "::g"))
def test_everything_else_is_not(address: str) -> None:
    """OWASP ASVS 5.0, 1.3.6: what may be inside is not called."""
    assert not is_public(address)


@pytest.mark.parametrize("kind", WRAPPINGS)
@pytest.mark.parametrize("address", INSIDE_V4)
def test_no_gateway_leads_inside(kind: str, address: str) -> None:
    """The address behind the gateway is what would be reached."""
    assert not is_public(wrapped(kind, address))


@pytest.mark.parametrize("kind", WRAPPINGS)
@pytest.mark.parametrize("address", PUBLIC_V4)
def test_a_gateway_to_the_internet_is_public(kind: str, address: str) -> None:
    """As with DNS64: the resolver itself gives such addresses."""
    assert is_public(wrapped(kind, address))


@pytest.mark.parametrize("prefix", ["fd12:3456:0:1", "fe80:0:0:0", "fec0:0:0:1"])
def test_an_inner_network_stays_one_whatever_its_hosts_call_themselves(prefix: str) -> None:
    """Both the network and the address in it have to be public."""
    assert not is_public(f"{prefix}:0:5efe:808:808")


@pytest.mark.parametrize("kind", CHOSEN)
def test_nobody_is_taken_for_whom_they_say_they_are(kind: str) -> None:
    """Or a browser would be in the network of any phone, and asked for no code.

    And wrong credentials would silence the client at the address that is written there.
    """
    address = wrapped(kind, "8.8.8.8")

    assert network_prefix(address) == client_network(address) == "2a00:1450:4001:800::/56"
    assert (
        compare_networks(network_prefix(address), network_prefix("8.8.8.8"))
        is Network.DIFFERENT
    )


@pytest.mark.parametrize("kind", GIVEN)
def test_behind_a_gateway_people_are_not_of_one_network(kind: str) -> None:
    """Otherwise everybody behind it would be taken for near, and asked for no code."""
    one, other = wrapped(kind, "8.8.8.8"), wrapped(kind, "93.184.216.34")

    assert network_prefix(one) == "8.8.8.0/24"
    assert compare_networks(network_prefix(one), network_prefix(other)) is Network.DIFFERENT


@pytest.mark.parametrize("kind", GIVEN)
def test_limits_count_who_is_behind_a_gateway(kind: str) -> None:
    """Not the gateway, which anybody could use up; and nobody behind one is this machine."""
    assert client_network(wrapped(kind, "8.8.8.8")) == "8.8.8.8"
    if kind != "mapped":
        assert client_network(wrapped(kind, "127.0.0.1")) == "127.0.0.1"


@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_any_text_is_judged(address: str) -> None:
    """It may come from a header: never a fault, and nothing public that the library refuses."""
    network = network_prefix(address)

    assert network is None or str(ipaddress.ip_network(network)) == network
    if is_public(address):
        assert ipaddress.ip_address(address).is_global or wraps(address)


def wraps(address: str) -> bool:
    """Tell whether an address may lead to another one."""
    return ":" in address
