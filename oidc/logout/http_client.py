"""Posts a logout token to a client, and nothing else to nobody else.

The address is registered, but somebody registered it: it is looked up once, judged, and that
very address is connected to, so that a name cannot point inside between look and call. No
redirect is followed, no proxy is asked, the body of the answer is not read, and no step takes
longer than a few seconds. OWASP ASVS 5.0, 1.3.6; Back-Channel Logout 1.0 §2.5.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from oidc.errors import DeliveryFailed
from oidc.protocol.client_address import is_public

if TYPE_CHECKING:
    from urllib.parse import SplitResult

STEP_S: Final = 5.0
LIMIT_S: Final = 15.0
"""Together far less than a notice is held (``logout_delivery.HOLD``)."""

_FORM: Final = "application/x-www-form-urlencoded"
_DELIVERED: Final = (200, 204)
"""Back-Channel Logout 1.0 §2.8; some libraries answer 204."""


@dataclass(frozen=True, slots=True)
class LogoutHttpClient:
    """Reaches clients over the network. Blocking.

    Attributes:
        allows_private_hosts: whether addresses of this machine and its networks may be called.
        tls: judges certificates; None for the certificates that the system trusts.
        step_s: how long connecting may take, and each wait for the client.
        limit_s: how long everything after that may take.
    """

    allows_private_hosts: bool
    tls: ssl.SSLContext | None = None
    step_s: float = STEP_S
    limit_s: float = LIMIT_S

    def __call__(self, address: str, logout_token: str) -> None:
        """Post the token.

        Raises:
            DeliveryFailed: it did not arrive, or the client says that it did not sign out.
        """
        parts = urlsplit(address)
        try:
            with self._opened(parts) as line:
                status = self._asked(line, parts, urlencode({"logout_token": logout_token}))
        except (OSError, ValueError, http.client.HTTPException) as fault:
            # ValueError: a name that is none, found out by the resolver or by TLS.
            raise DeliveryFailed(f"no answer ({type(fault).__name__})") from fault
        if status not in _DELIVERED:
            raise DeliveryFailed(f"the answer was {status}")

    def _opened(self, parts: SplitResult) -> socket.socket:
        """Connect to one of the host's addresses, after judging that very address."""
        host, port = parts.hostname or "", parts.port or http.client.HTTPS_PORT
        if parts.scheme == "http":
            port = parts.port or http.client.HTTP_PORT
        for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            if self.allows_private_hosts or is_public(str(place[0])):
                return socket.create_connection((str(place[0]), port), timeout=self.step_s)
        raise DeliveryFailed("the address is not public")

    def _asked(self, line: socket.socket, parts: SplitResult, body: str) -> int:
        """Post the form; return the status of the answer."""
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        if parts.scheme == "https":
            line = (self.tls or system_trust()).wrap_socket(
                line, server_hostname=parts.hostname, do_handshake_on_connect=False
            )
        # A client that says one byte every few seconds would hold us for ever.
        end = threading.Timer(self.limit_s, _cut, [line])
        end.start()
        try:
            if isinstance(line, ssl.SSLSocket):
                line.do_handshake()
            connection.sock = line
            target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
            headers = {"Content-Type": _FORM, "Host": parts.netloc, "Connection": "close"}
            connection.request("POST", target, body, headers)
            return connection.getresponse().status
        finally:
            end.cancel()
            line.close()


@cache
def system_trust() -> ssl.SSLContext:
    """Read the system's certificates once, when the first https client is notified."""
    return ssl.create_default_context()


def _cut(line: socket.socket) -> None:
    """End whatever waits for this line."""
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
