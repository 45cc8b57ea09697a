"""Which network a request comes from, as far as its address tells: what limits are counted by.

One IPv4 address, or the 56 bits of IPv6 that a provider gives to one customer. This machine's
own addresses name nobody: behind a proxy that does not say whom it speaks for they would stand
for everybody.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

_IPV6_BITS: Final = 56


def client_network(address: str | None) -> str | None:
    """Return the network of an address as text; None if it is none, or of this machine."""
    try:
        host = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(host, IPv6Address):
        if host.ipv4_mapped is None:
            network = ip_network((int(host), _IPV6_BITS), strict=False)
            return None if host.is_loopback else str(network)
        host = host.ipv4_mapped
    return None if host.is_loopback else str(host)


@dataclass(frozen=True, slots=True)
class NetworkDigests:
    """Writes networks down so that a copy of the database does not say where people were.

    Attributes:
        key: gives the key, for this purpose only.
    """

    key: Callable[[], bytes]

    def digest_of(self, address: str | None) -> str | None:
        """Return 43 characters that stand for an address's network; None if it has none."""
        network = client_network(address)
        if network is None:
            return None
        digest = hmac.digest(self.key(), network.encode("ascii"), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
