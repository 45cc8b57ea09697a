"""Sends a request that offers another protocol to the public token endpoint.

It must be answered once, and as without the offer. A body that is lost or read as another
request shifts all answers on a connection that a proxy keeps: people get those of others.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from typing import Final
from urllib.parse import urlsplit

from mobile_api.doctor.findings import Finding, Level

NAME: Final = "public offer of a protocol"

WAIT_S: Final = 10.0

PAUSE_S: Final = 0.3
"""Between head and body, which come in packets of their own."""

QUIET_S: Final = 1.0
"""A second answer would have come by then."""

_BODY: Final = b"grant_type=probe"

_OFFER: Final = b"Connection: Upgrade\r\nUpgrade: probe\r\n"

_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def probe_offer(base_url: str) -> Finding:
    """Send the same request without the offer and with it, and compare the answers."""
    try:
        plain, offered = (_statuses_and_error(base_url, each) for each in (b"", _OFFER))
    except OSError as fault:
        advice = (
            "check DNS, the certificate, and whether the proxy reaches the service; let the"
            " proxy drop Upgrade and Connection of clients"
        )
        return Finding(Level.FAIL, NAME, f"not answered ({type(fault).__name__})", advice)
    if plain == offered and len(plain[0]) == 1:
        return Finding(Level.OK, NAME)
    advice = (
        "upgrade every process of Thenar, restart the proxy, and let it drop Upgrade and"
        " Connection of clients: until then, people may get answers to others' requests"
    )
    return Finding(Level.FAIL, NAME, _difference(offered[0]), advice)


def _difference(statuses: list[bytes]) -> str:
    if len(statuses) > 1:
        return "answered more than once"
    return "its body is lost, or it is answered by the proxy" if statuses else "not answered"


def _statuses_and_error(base_url: str, offer: bytes) -> tuple[list[bytes], bytes]:
    """Return the status of each answer, and the last line of all that was received."""
    received = _exchange(base_url, offer)
    return _STATUS.findall(received), received.rpartition(b"\n")[2]


def _exchange(base_url: str, offer: bytes) -> bytes:
    """Send a token request with its body apart; return what comes until it is quiet.

    Raises:
        OSError: no connection, no certificate that is trusted, or nothing came in time.
    """
    url = urlsplit(base_url)
    head = (
        f"POST {url.path}/token HTTP/1.1\r\nHost: {url.netloc}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(_BODY)}\r\n"
    )
    with _connected(
        url.hostname or "", url.port, is_secure=url.scheme == "https"
    ) as connection:
        connection.sendall(head.encode("ascii") + offer + b"\r\n")
        time.sleep(PAUSE_S)
        connection.sendall(_BODY)
        received = connection.recv(65_536)
        connection.settimeout(QUIET_S)
        try:
            while more := connection.recv(65_536):
                received += more
        except TimeoutError:
            pass
    return received


def _connected(host: str, port: int | None, *, is_secure: bool) -> socket.socket:
    plain = socket.create_connection((host, port or (443 if is_secure else 80)), WAIT_S)
    if not is_secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
