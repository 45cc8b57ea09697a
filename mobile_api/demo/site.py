"""Where the demo is served: on loopback, or by https to the phones of a local network."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mobile_api.demo.certificate import Certificate, certificate_for
from mobile_api.demo.errors import DemoError
from mobile_api.types import Clock

LOOPBACK: Final = "127.0.0.1"

OUTSIDE: Final = ("192.0.2.1", 9)
"""An address of documentation (RFC 5737 §3): asking for the way there sends nothing."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the demo is served.

    Attributes:
        host: address that service and sample app listen on.
        shop_host: the sample app's name. On loopback another one, so that the two do not
            share cookies.
        certificate: None on loopback, where browsers take plain HTTP for secure.
    """

    host: str = LOOPBACK
    shop_host: str = "localhost"
    certificate: Certificate | None = None

    def url(self, host: str, port: int) -> str:
        """Return an address of the demo."""
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}"

    @property
    def trust(self) -> ssl.SSLContext | bool:
        """How clients of the demo verify the service: by its certificate, or as usual."""
        return True if self.certificate is None else self.certificate.trust

    @property
    def served_certificate(self) -> Path | None:
        """Key and certificate to serve https with."""
        return None if self.certificate is None else self.certificate.served


def network_site(host: str, folder: Path, clock: Clock) -> Site:
    """Return the site at an address of this machine, with its certificate."""
    return Site(host, host, certificate_for(host, folder, clock()))


def own_address(outside: tuple[str, int] = OUTSIDE) -> str:
    """Return this machine's address in its network.

    Raises:
        DemoError: it is in none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(outside)
        except OSError as fault:
            raise DemoError(
                "This machine is in no network: connect it, or name its address with --host."
            ) from fault
        return str(probe.getsockname()[0])
