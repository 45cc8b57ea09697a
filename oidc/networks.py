"""Whether two addresses are of one network, as far as addresses can tell.

The first part of an address names the network a provider gave out: 24 bits of IPv4, 56 of IPv6.
Phones on mobile data, virtual private networks and large gateways make it a hint, no proof: it
is shown as that, and only ever asks for more (RFC 10027 on shared networks).
"""

from __future__ import annotations

import ipaddress
from typing import Final

from oidc.types import Network

_PREFIX_BITS: Final = {4: 24, 6: 56}


def network_of(address: str | None) -> str | None:
    """Return the network of an address as text; None if it is none."""
    try:
        host = ipaddress.ip_address(address or "")
    except ValueError:
        return None
    if isinstance(host, ipaddress.IPv6Address) and host.ipv4_mapped is not None:
        host = host.ipv4_mapped
    return str(ipaddress.ip_network((int(host), _PREFIX_BITS[host.version]), strict=False))


def caller_of(address: str | None) -> str | None:
    """Return what limits count by: one IPv4 address, or the 56 bits of IPv6 one customer has.

    None if it is no address, or one of this machine: a proxy that does not say whom it speaks
    for would stand for everybody.
    """
    try:
        host = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(host, ipaddress.IPv6Address) and host.ipv4_mapped is not None:
        host = host.ipv4_mapped
    if host.is_loopback:
        return None
    return str(host) if host.version == 4 else network_of(str(host))


def compare_networks(browser: str | None, phone: str | None) -> Network:
    """Tell whether two networks are one. One address in each family are two networks."""
    if browser is None or phone is None:
        return Network.UNKNOWN
    return Network.SAME if browser == phone else Network.DIFFERENT
