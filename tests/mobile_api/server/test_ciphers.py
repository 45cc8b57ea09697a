"""Ciphers of TLS 1.2: only those that FAPI 2.0 §5.2.2 allows."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from starlette.responses import Response

from mobile_api.server.serving import Place, ServedApp, Server
from tests.support.servers.app_server import listening
from tests.support.servers.certificates import make_certificate
from tests.support.servers.recipes import proxied
from tests.support.service.process import free_port


@contextmanager
def served(folder: Path, port: int) -> Iterator[ssl.SSLContext]:
    """Serve as ``thenar serve --certificate`` does."""
    _, trust = make_certificate(folder, "localhost")
    place = Place("127.0.0.1", port, folder / "loopback.pem")
    with listening(Server(ServedApp(Response(), lambda: None), place, "")):
        yield trust


@contextmanager
def behind_nginx(folder: Path, port: int) -> Iterator[ssl.SSLContext]:
    """Serve as the recipe does; nothing needs to listen behind it."""
    with proxied("nginx", folder, port, free_port()) as trust:
        yield trust


@pytest.mark.parametrize("serve", [served, behind_nginx])
def test_a_client_gets_one_of_them_or_no_connection(
    serve: Callable[[Path, int], AbstractContextManager[ssl.SSLContext]], tmp_path: Path
) -> None:
    """CBC is refused with TLS 1.2, and a client of TLS 1.3 needs no list."""
    port = free_port()
    with serve(tmp_path, port) as trust:
        assert agreed(trust, port) == "TLSv1.3"
        trust.maximum_version = ssl.TLSVersion.TLSv1_2
        trust.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
        assert agreed(trust, port) == "TLSv1.2"
        trust.set_ciphers("ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA")
        with pytest.raises(ssl.SSLError):
            agreed(trust, port)


def agreed(trust: ssl.SSLContext, port: int) -> str | None:
    """Return the version that a handshake ends with."""
    with (
        socket.create_connection(("127.0.0.1", port)) as connection,
        trust.wrap_socket(connection, server_hostname="localhost") as secured,
    ):
        return secured.version()
