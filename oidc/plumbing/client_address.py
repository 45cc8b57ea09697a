"""IP addresses: whether one is public, and which network a caller belongs to.

A network is 24 bits of IPv4 or 56 of IPv6: a hint, never a proof (RFC 10027). Limits count by
three prefixes: a customer's, a site's and a provider's.
"""

import socket
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from oidc.types import Network

_KNOWN: Final = 4096
"""Addresses whose network is remembered."""

_PREFIX_BITS: Final = {4: 24, 6: 56}

_LIMITED_BITS: Final = {4: (32, 24, 16), 6: (56, 48, 32)}
"""The usual prefixes of a customer, a site and a provider, in bits."""

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Ends with an IPv4 address; DNS64 returns these. RFC 6052 §2.1."""

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""RFC 4291 §2.4."""

_NOT_PUBLIC: Final = tuple(
    ip_network(each)
    for each in [
        "168.63.129.16",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "2001::/23",
        "2002::/16",
        "3fff::/20",
    ]
)
"""Networks that ``ipaddress`` wrongly calls global, in one of its versions or in all.

Azure's platform server; IETF protocols, among them anycast to the nearest relay (RFC 6890, RFC
2928); 6to4 (RFC 7526); documentation (RFC 9637).
"""

_LOCAL_DOMAINS: Final = frozenset({"internal", "lan", "local", "localhost"})
_HOME: Final = ["home", "arpa"]
"""Never on the Internet: RFC 6761, RFC 6762, RFC 8375 and by ICANN."""


def is_public(address: str) -> bool:
    """Return whether the address belongs to the Internet.

    Not loopback, private, link-local, CGNAT, multicast, 6to4, Teredo, nor what maps to those.
    """
    host = _parsed(address)
    host = host and _behind_nat64(host)
    if host is None or any(host in network for network in _NOT_PUBLIC):
        return False
    is_unicast = host in _GLOBAL_UNICAST if host.version == 6 else not host.is_multicast
    return is_unicast and host.is_global


def is_public_name(host: str) -> bool:
    """Return whether a host of a URL may be public, as far as its name says."""
    try:
        # Resolvers read 127.1, 0x7f000001 and 2130706433 as addresses, too.
        address = socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        address = host
    if _parsed(address) is not None:
        return is_public(address)
    labels = host.rstrip(".").split(".")
    return len(labels) > 1 and labels[-1] not in _LOCAL_DOMAINS and labels[-2:] != _HOME


def network_prefix(address: str | None) -> str | None:
    """Return the network, such as 203.0.113.0/24; None if malformed or loopback.

    Behind a proxy that names no client, everybody comes from loopback.
    """
    host = _parsed(address)
    return None if host is None or host.is_loopback else _prefix(_behind_nat64(host))


@lru_cache(_KNOWN)
def client_network(address: str | None) -> str | None:
    """Return what limits count by: an IPv4 address, or 56 bits of IPv6.

    None for loopback: a proxy that names no client would stand for everybody.
    """
    host = _parsed(address)
    if host is None or host.is_loopback:
        return None
    host = _behind_nat64(host)
    return str(host) if host.version == 4 else _prefix(host)


def client_networks(address: str | None) -> tuple[str, str, str] | None:
    """Return what limits count by, narrowest first: ``client_network`` and two wider ones.

    IPv4: the address, /24 and /16. IPv6: /56, /48 and /32. None for loopback.
    """
    narrow = client_network(address)
    if narrow is None:
        return None
    host = ip_network(narrow).network_address
    _, wide, widest = (_prefix(host, bits) for bits in _LIMITED_BITS[host.version])
    return narrow, wide, widest


def is_within(address: str | None, networks: Iterable[str]) -> bool:
    """Return whether the address belongs to one of these networks, in CIDR notation."""
    host = _parsed(address)
    host = host and _behind_nat64(host)
    return host is not None and any(host in ip_network(each) for each in networks)


def compare_networks(browser: str | None, phone: str | None) -> Network:
    """Compare network prefixes; IPv4 and IPv6 always differ."""
    if browser is None or phone is None:
        return Network.UNKNOWN
    return Network.SAME if browser == phone else Network.DIFFERENT


def _parsed(address: str | None) -> IPv4Address | IPv6Address | None:
    """Return the address without zone; mapped IPv4 is IPv4."""
    try:
        host = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    return (isinstance(host, IPv6Address) and host.ipv4_mapped) or host


def _behind_nat64(host: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    return IPv4Address(int(host) & 0xFFFF_FFFF) if host in _NAT64 else host


def _prefix(host: IPv4Address | IPv6Address, bits: int | None = None) -> str:
    size = _PREFIX_BITS[host.version] if bits is None else bits
    return str(ip_network((host, size), strict=False))
