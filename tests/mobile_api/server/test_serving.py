"""A process that is stopped finishes what it began, and ends."""

import itertools
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from typer.testing import CliRunner

from mobile_api.__main__ import app
from mobile_api.server.serving import OutermostApp, Place, ServedApp, Server
from tests.support.at_once import wait_until
from tests.support.clock import FakeClock
from tests.support.servers.app_server import listening
from tests.support.service.process import Service, free_port
from tests.support.service.relying_party import RelyingParty
from tests.support.service.two_workers import TwoWorkers, two_workers

ENDS_WITHIN_S = 20
"""From the signal to the end of a process whose requests take no longer than two seconds."""

CLIENTS = 6

BUSY = 30
"""Answers after which the service is under load."""


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[TwoWorkers]:
    """Start two with one database and one address; the first is stopped."""
    url = f"sqlite:///{tmp_path / 'protocol.sqlite3'}"
    with two_workers(tmp_path, url, THENAR_MOBILE_ADDRESS_LOGINS_PER_MINUTE="0") as workers:
        yield workers


def token_request(party: RelyingParty) -> bytes:
    """Return a token request with a wrong code, as bytes on the line."""
    client = party.registration
    body = (
        f"grant_type=authorization_code&code=wrong&redirect_uri={client.redirect_uri}"
        f"&client_id={client.client_id}&client_secret={client.client_secret}"
    )
    head = (
        "POST /token HTTP/1.1\r\nHost: x\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


@dataclass
class Crowd:
    """Clients that ask without a pause until no process listens.

    Attributes:
        url: whom.
        statuses: what they were answered.
        broken: answers that began and did not end.
    """

    url: str
    statuses: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def ask(self, number: int) -> None:
        """Ask, on a kept connection or on a new one each time."""
        headers = {} if number % 3 else {"Connection": "close"}
        with httpx2.Client(timeout=30) as http:
            for turn in itertools.count():
                path = "/userinfo" if turn % 2 else "/.well-known/openid-configuration"
                try:
                    answer = http.get(f"{self.url}{path}", headers=headers)
                except httpx2.ConnectError:
                    return  # no process listens any more
                except httpx2.TransportError as fault:
                    # A new connection that waits to be taken is closed. A kept one never is.
                    if number % 3 or "message body" in str(fault):
                        self.broken.append(str(fault))
                    return
                self.statuses.append(answer.status_code)


@contextmanager
def _events(worker: Service, path: str, cookie: str) -> Iterator[httpx2.Response]:
    url, headers = f"{worker.local_url}{path}/events", {"Cookie": cookie}
    with httpx2.Client(timeout=30) as http, http.stream("GET", url, headers=headers) as stream:
        yield stream


def test_requests_are_finished_streams_end_and_the_process_too(workers: TwoWorkers) -> None:
    """Under load, with requests that have half arrived: no 5xx, no answer cut off.

    The stream of a waiting page ends without an error, and goes on at the other process.
    """
    path, cookie = workers.begin()
    with _events(workers.first, path, cookie) as stream:
        crowd = Crowd(workers.first.local_url)
        threads = [threading.Thread(target=crowd.ask, args=(n,)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        request, place = token_request(workers.party), urlsplit(workers.first.local_url)
        wait_until(lambda: len(crowd.statuses) >= BUSY)
        lines = [socket.create_connection((place.hostname, place.port or 80)) for _ in range(5)]
        for line in lines:
            line.settimeout(60)
            line.sendall(request[:-10])
        seen = len(crowd.statuses)
        wait_until(lambda: len(crowd.statuses) >= seen + CLIENTS)  # the lines are taken
        workers.process.send_signal(signal.SIGTERM)
        reported = b"".join(stream.iter_bytes())
    for thread in threads:
        thread.join()  # until no process listens
    for line in lines:
        line.sendall(request[-10:])
    answers = [line.makefile().read() for line in lines]  # until the server closes
    status = workers.process.wait(ENDS_WITHIN_S)
    for line in lines:
        line.close()
    with _events(workers.second, path, cookie) as second:
        again = next(second.iter_bytes())

    assert set(crowd.statuses) == {200, 401}
    assert crowd.broken == []
    assert status == 0  # in order, not by the signal
    assert b"event: progress" in reported
    assert b"retry: 2000" in again  # the page goes on at the other
    assert [answer.split(" ")[1] for answer in answers] == ["400"] * 5
    assert all("invalid_grant" in answer for answer in answers)
    assert all("connection: close" in answer.lower() for answer in answers)


def test_what_takes_too_long_is_cut_off() -> None:
    """An orchestrator kills what does not end."""
    app, begun, stopped = FastAPI(), threading.Event(), threading.Event()

    @app.get("/endless")
    async def endless() -> None:
        begun.set()
        await anyio.sleep(60)

    port, answers = free_port(), list[httpx2.Response]()
    server = Server(
        ServedApp(app, stopped.set), Place("127.0.0.1", port), "127.0.0.1", shutdown_s=1
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started)

    def ask() -> None:
        answers.append(httpx2.get(f"http://127.0.0.1:{port}/endless", timeout=30))

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(30)
    server.should_exit = True
    thread.join(40)
    asking.join(40)

    assert not thread.is_alive()
    assert answers[0].status_code == 503
    assert answers[0].headers["retry-after"] == "2"
    assert stopped.is_set()


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        *(("/", "GET"), ("/portal", "GET"), ("/oauth/authorize/", "GET")),
        *(("/oauth/authorize", "HEAD"), ("/id/oauth/logout", "HEAD")),
        *(("/portal/callback", "HEAD"), ("/portal/trial/callback", "HEAD")),
    ],
)
def test_a_look_is_a_get_but_where_that_changes_something(path: str, seen: str) -> None:
    """The provider answers it there: a link checker ends no session and begins no login."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        shown = Response(headers={"x-method": scope["method"]})
        await shown(scope, receive, send)

    client = TestClient(OutermostApp(app, lambda: False))

    assert client.head(path).headers["x-method"] == seen


def test_one_connection_too_many_is_sent_away_for_seconds() -> None:
    """HEAD, too: it is a GET without a body."""
    port = free_port()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await PlainTextResponse(scope["method"])(scope, receive, send)

    served = ServedApp(app, lambda: None, FakeClock())
    limited = Server(served, Place("127.0.0.1", port), "", 1)
    with listening(limited), httpx2.Client(base_url=f"http://127.0.0.1:{port}") as first:
        assert first.get("/").text == "GET"
        head = first.head("/")
        busy = httpx2.get(f"http://127.0.0.1:{port}/", timeout=60)

    assert (head.status_code, head.headers["content-length"], head.text) == (200, "3", "")
    assert parsedate_to_datetime(head.headers["date"]) == FakeClock()()
    assert (busy.status_code, busy.json()["error"]) == (503, "temporarily_unavailable")
    assert int(busy.headers["retry-after"]) > 0


@pytest.mark.parametrize("taken", ["--port", "THENAR_MOBILE_METRICS_PORT"])
def test_a_port_that_is_taken_is_named_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    """An operator who starts a second process sees which address and why, and no traceback."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["migrate"]).exit_code == 0
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        monkeypatch.setenv("THENAR_MOBILE_METRICS_PORT", port if taken != "--port" else "0")
        asked = port if taken == "--port" else str(free_port())
        command = [
            sys.executable, "-m", "mobile_api", "serve", "--only", "oidc", "--port", asked,
        ]  # fmt: skip
        done = subprocess.run(  # noqa: S603 - our own program
            command, capture_output=True, text=True, check=False
        )

    said = " ".join(done.stderr.split())
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}: address already in use" in said


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_notified_of_the_start_and_of_each_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_abstract: bool
) -> None:
    """Only then does it start the next process; and it replaces one that is frozen."""
    address = f"\0{tmp_path}" if is_abstract else str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", address.replace("\0", "@"))
    port = free_port()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(60)
        quiet = ServedApp(PlainTextResponse("ok"), lambda: None)
        with listening(Server(quiet, Place("127.0.0.1", port), "")):
            received = {systemd.recv(100) for _ in range(3)}

    assert received == {b"READY=1", b"WATCHDOG=1"}
