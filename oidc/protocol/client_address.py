"""What an address tells: whether it is public, and whether two are of one network.

The first part of an address names the network a provider gave out: 24 bits of IPv4, 56 of IPv6.
Phones on mobile data, virtual private networks and large gateways make it a hint, no proof: it
is shown as that, and only ever asks for more (RFC 10027 on shared networks).

An IPv6 address may lead to an IPv4 address by a gateway: then that one is judged. One that its
host wrote there itself (ISATAP) is judged before it is called, and says nothing of who calls:
anybody could seem to be a phone's neighbour, or use up what somebody else may ask for.
"""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

from oidc.types import Network

_PREFIX_BITS: Final = {4: 24, 6: 56}

_IN_THE_END: Final = tuple(
    IPv6Network(text)
    for text in (
        "::/96",  # IPv4-compatible, deprecated. RFC 4291 §2.5.5.1
        "::ffff:0:0:0/96",  # IPv4-translated. RFC 2765 §2.1
        "64:ff9b::/96",  # NAT64, the well-known prefix. RFC 6052 §2.1
    )
)
"""Prefixes that are followed by an IPv4 address; ``::ffff:0:0/96`` beside them."""

_UNICAST: Final = IPv6Network("2000::/3")
"""All that is given out for the Internet. RFC 4291 §2.4, IANA."""

_NOT_PUBLIC: Final = (
    IPv6Network("3fff::/20"),  # documentation. RFC 9637
    ipaddress.IPv4Network("192.88.99.0/24"),  # 6to4 relays, deprecated. RFC 7526
    ipaddress.IPv4Network("192.0.0.0/24"),  # of protocols. RFC 6890 §2.1
)
"""What the library takes for global."""

_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
"""Beginning of an interface identifier that ends with an IPv4 address. RFC 5214 §6.1."""


def is_public(address: str) -> bool:
    """Tell whether an address is of the Internet, by whatever gateway it leads there.

    Anything else may be this machine, its networks, or a way around the judging of both.
    """
    try:
        host = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(host, IPv6Address) and _is_isatap(host) and not is_public(str(_last(host))):
        return False
    inside = _ipv4_inside(host)
    if inside is not None:
        return is_public(str(inside))
    if isinstance(host, IPv6Address) and host not in _UNICAST:
        return False
    if host.is_multicast or any(host in each for each in _NOT_PUBLIC):
        return False
    return host.is_global


def network_prefix(address: str | None) -> str | None:
    """Return the network of an address as text; None if it is none."""
    try:
        host = ipaddress.ip_address(address or "")
    except ValueError:
        return None
    host = _ipv4_inside(host) or host
    return str(ipaddress.ip_network((int(host), _PREFIX_BITS[host.version]), strict=False))


def client_network(address: str | None) -> str | None:
    """Return what limits count by: one IPv4 address, or the 56 bits of IPv6 one customer has.

    None if it is no address, or one of this machine: a proxy that does not say whom it speaks
    for would stand for everybody.
    """
    try:
        host = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if host.is_loopback or (isinstance(host, IPv6Address) and _is_mapped_loopback(host)):
        return None
    host = _ipv4_inside(host) or host
    return str(host) if host.version == 4 else network_prefix(str(host))


def compare_networks(browser: str | None, phone: str | None) -> Network:
    """Tell whether two networks are one. One address in each family are two networks."""
    if browser is None or phone is None:
        return Network.UNKNOWN
    return Network.SAME if browser == phone else Network.DIFFERENT


def _is_mapped_loopback(host: IPv6Address) -> bool:
    """Tell whether this is a loopback address of IPv4, as sockets for both families name it."""
    return host.ipv4_mapped is not None and host.ipv4_mapped.is_loopback


def _ipv4_inside(host: IPv4Address | IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to, if it leads to one.

    Mapped, 6to4 (RFC 3056) and Teredo (RFC 4380 §4; the client's, not the server's) addresses,
    and those of ``_IN_THE_END``: what is answered to them goes to that address, so that nobody
    comes from one with somebody else's in it.
    """
    if isinstance(host, IPv4Address):
        return None
    if host.teredo is not None:
        return host.teredo[1]
    if any(host in each for each in _IN_THE_END) and int(host) > 1:
        return _last(host)
    return host.ipv4_mapped or host.sixtofour


def _is_isatap(host: IPv6Address) -> bool:
    """Tell whether its host says, in the part that it chooses, that it leads to IPv4."""
    return (int(host) >> 32 & 0xFFFF_FFFF) in _ISATAP


def _last(host: IPv6Address) -> IPv4Address:
    return IPv4Address(int(host) & 0xFFFF_FFFF)
