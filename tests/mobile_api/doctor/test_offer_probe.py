"""The doctor offers another protocol to the token endpoint, and judges how it is answered."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from mobile_api.doctor import probe
from mobile_api.doctor.findings import Level
from mobile_api.doctor.probe import probe_offer
from tests.support.hostile.connections import serving
from tests.support.service.process import LOOPBACK

ANSWER = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n%s"


async def _token(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        body = (await Request(scope, receive).body()).decode()
        await PlainTextResponse(f"{scope['path']} {body}", 400)(scope, receive, send)


@contextmanager
def _answering(plain: bytes, offered: bytes) -> Iterator[int]:
    """Answer two connections: the first request, and that with an offer."""

    def serve() -> None:
        for answer in (plain, offered):
            with listener.accept()[0] as connection:
                while b"grant_type" not in connection.recv(4096):
                    pass
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)  # until the other side has heard enough

    with socket.create_server((LOOPBACK, 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(30)


def test_a_service_that_ignores_offers_is_good() -> None:
    """The server as it is shipped."""
    with serving(_token) as port:
        judged = probe_offer(f"http://{LOOPBACK}:{port}/o")

    assert (judged.level, judged.message) == (Level.OK, "")


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (ANSWER % b"no" * 2, "answered more than once"),
        (ANSWER % b"??", "its body is lost, or it is answered by the proxy"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "its body is lost, or it is answered"),
        (b"", "not answered"),
    ],
)
def test_another_answer_than_without_the_offer_is_reported(offered: bytes, said: str) -> None:
    """Twice, without the body, by another protocol, or not at all."""
    with _answering(ANSWER % b"no", offered) as port:
        judged = probe_offer(f"http://{LOOPBACK}:{port}")

    assert judged.level == Level.FAIL
    assert judged.message.startswith(said)


def test_silence_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe waits for a limited time, and reports an address where nothing listens."""
    monkeypatch.setattr(probe, "WAIT_S", 0.2)
    with socket.create_server((LOOPBACK, 0)) as silent:
        port = silent.getsockname()[1]
        unanswered = probe_offer(f"http://{LOOPBACK}:{port}")
    away = probe_offer(f"http://{LOOPBACK}:{port}")

    assert [each.message for each in (unanswered, away)] == [
        "not answered: TimeoutError", "not answered: Connection refused",
    ]  # fmt: skip
