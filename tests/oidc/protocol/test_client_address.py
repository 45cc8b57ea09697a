"""Which addresses are public, and which network a caller belongs to."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oidc.protocol.client_address import client_network, is_public, network_prefix


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"]
)
def test_internet_addresses_are_public(address: str) -> None:
    """As they are, mapped, or behind NAT64."""
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "shop.example",
        "0.1.2.3",
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1%eth0",
        "fd12:3456::1",
        "fec0::1",
        "ff0e::1",
        "2001:db8::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::8.8.8.8",
        "2002:7f00:1::1",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ],
)
def test_internal_addresses_are_not_public(address: str) -> None:
    """OWASP ASVS 5.0, 1.3.6: logout tokens are posted to no internal host."""
    assert not is_public(address)


def test_clients_behind_nat64_are_counted_by_their_own_address() -> None:
    """Nobody uses up the limit of everybody behind the gateway."""
    assert client_network("64:ff9b::8.8.8.8") == "8.8.8.8"
    assert client_network("64:ff9b::127.0.0.1") == "127.0.0.1"
    assert network_prefix("64:ff9b::8.8.8.8") == "8.8.8.0/24"


@given(st.text(max_size=40) | st.ip_addresses().map(str))
def test_any_text_gives_a_network_or_none(address: str) -> None:
    """It may come from a header."""
    network = network_prefix(address)

    assert network is None or str(ipaddress.ip_network(network)) == network
    assert is_public(address) in (True, False)
