"""Posts to addresses that others name, to public ones only.

Against SSRF the host is resolved once, and the checked address is connected to. No redirects,
no proxy, no response body. OWASP ASVS 5.0, 1.3.6.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from oidc.errors import DeliveryFailed
from oidc.plumbing.client_address import is_public

STEP_TIMEOUT_S: Final = 5.0
TOTAL_TIMEOUT_S: Final = 15.0
"""Who claims a message for a while claims it for longer than both together."""


@dataclass(frozen=True, slots=True)
class PublicHttpClient:
    """Posts to servers. Blocking.

    ``step_s`` limits connecting and each wait, ``limit_s`` all after connecting.
    """

    allows_private_hosts: bool
    tls: ssl.SSLContext | None = None
    step_s: float = STEP_TIMEOUT_S
    limit_s: float = TOTAL_TIMEOUT_S

    def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post a body and return the status. Raises ``DeliveryFailed``."""
        parts = urlsplit(address)
        try:
            with self._connect(parts) as sock:
                return self._post(sock, parts, body, headers)
        except (OSError, ValueError, http.client.HTTPException) as fault:
            # ValueError: an invalid host name, found by the resolver or TLS.
            raise DeliveryFailed(f"no response ({type(fault).__name__})") from fault

    def _connect(self, parts: SplitResult) -> socket.socket:
        """Connect to a checked address of the host."""
        host, port = parts.hostname or "", parts.port or http.client.HTTPS_PORT
        if parts.scheme == "http":
            port = parts.port or http.client.HTTP_PORT
        for *_, socket_address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            if self.allows_private_hosts or is_public(str(socket_address[0])):
                return socket.create_connection(
                    (str(socket_address[0]), port), timeout=self.step_s
                )
        raise DeliveryFailed("the address is not public")

    def _post(
        self, sock: socket.socket, parts: SplitResult, body: bytes, headers: Mapping[str, str]
    ) -> int:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        if parts.scheme == "https":
            sock = (self.tls or system_trust()).wrap_socket(
                sock, server_hostname=parts.hostname, do_handshake_on_connect=False
            )
        # A server that sends a byte every few seconds would block us for ever.
        end = threading.Timer(self.limit_s, _shut_down, [sock])
        end.start()
        try:
            if isinstance(sock, ssl.SSLSocket):
                sock.do_handshake()
            connection.sock = sock
            target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
            own = {"Host": parts.netloc, "Connection": "close"}
            connection.request("POST", target, body, {**headers, **own})
            return connection.getresponse().status
        finally:
            end.cancel()
            sock.close()


@cache
def system_trust() -> ssl.SSLContext:
    """Read the system's certificates once, when the first https server is posted to."""
    return ssl.create_default_context()


def _shut_down(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
