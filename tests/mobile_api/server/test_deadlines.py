"""Who sends nothing, or half of something, is not waited for."""

import socket
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from threading import Thread

import anyio
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from mobile_api.server.connections import HEAD_S, STALL_S
from mobile_api.server.serving import Place, ServedApp, Server
from tests.support.hostile.connections import OFFERS
from tests.support.servers.app_server import listening
from tests.support.service.process import free_port

WITHIN_S = 10

PATIENCE_S = 60
"""A busy machine takes its time; that no other client waits longer is a sum of constants."""

CHECK_S = 1
"""Between two looks at all connections."""

HEAD = b"POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"

OFFERING = HEAD.replace(b"Host: x", b"Host: x\r\n" + OFFERS["websocket"])


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body, or refuse unread; stream longer than any deadline if asked to."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/read":
        await Request(scope, receive).body()
    if scope["path"] == "/stream":
        await StreamingResponse(_slowly())(scope, receive, send)
    else:
        await PlainTextResponse("ok", 401 if scope["path"] == "/refuse" else 200)(
            scope, receive, send
        )


async def _slowly() -> AsyncIterator[str]:
    for _ in range(6):
        yield "."
        await anyio.sleep(2)


def _drip(connection: socket.socket) -> None:
    """Send a byte of the head each second: never idle, never done."""
    try:
        for each in b"GET / HTTP/1.1\r\nHost: " + b"a" * PATIENCE_S:
            connection.sendall(bytes([each]))
            time.sleep(1)
    except OSError:
        return


def _ask(connection: socket.socket, pause_s: float = 0) -> None:
    """Get an answer, however slowly the request comes."""
    connection.settimeout(PATIENCE_S)
    connection.sendall(b"GET / HT")
    time.sleep(pause_s)
    connection.sendall(b"TP/1.1\r\nHost: x\r\n\r\n")
    received = b""
    while not received.endswith(b"ok"):
        received += connection.recv(4096) or pytest.fail("closed")


def _wait_until_closed(connection: socket.socket) -> None:
    connection.settimeout(PATIENCE_S)
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass


def test_connections_that_hold_something_back_are_closed_in_time() -> None:
    """Nothing, half a head, a head byte by byte, half a body, and half of an unwanted one.

    Offering a websocket with the body changes nothing.

    Not one that waits for its next request, nor one that just began it.
    """
    port = free_port()
    sent = [b"", b"GET / HT", b"G", HEAD % b"read" + b"ab", HEAD % b"refuse" + b"ab"]
    sent += [OFFERING % b"read", OFFERING % b"read" + b"ab", OFFERING % b"refuse" + b"ab"]
    with ExitStack() as stack:
        stack.enter_context(
            listening(Server(ServedApp(_app, lambda: None), Place("127.0.0.1", port), ""))
        )
        held = []
        for each in sent:
            held.append(stack.enter_context(socket.create_connection(("127.0.0.1", port))))
            held[-1].sendall(each)
        Thread(target=_drip, args=(held[2],), daemon=True).start()
        kept = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        _ask(kept)
        stream = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        stream.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        for connection in held:
            _wait_until_closed(connection)
        stream.settimeout(PATIENCE_S)
        received = b""
        while not received.endswith(b"0\r\n\r\n"):
            received += stream.recv(4096)
        _ask(kept, pause_s=2 * CHECK_S)

    assert max(HEAD_S, STALL_S) + CHECK_S <= WITHIN_S
    assert received.count(b"\r\n.\r\n") == 6
