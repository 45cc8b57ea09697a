"""Hostile requests, a few of them: drawn, sent to the real service, and what is looked for."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Now, while no thread runs: pytest rewrites these modules, and CPython 3.11's ast.parse fails
# beside other threads (its issue 106905).
import schemathesis.specs.openapi.schemas  # noqa: F401
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.hostile_requests.checks import find_leaks, logged_faults
from benchmarks.hostile_requests.from_openapi import openapi_builders
from benchmarks.hostile_requests.installation import Installation, running_installation
from benchmarks.hostile_requests.mutations import Mutation, _member, mutate, mutations
from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.planted_secrets import PlantedSecrets
from benchmarks.hostile_requests.raw_http import (
    Framing,
    Request,
    Response,
    needs_half_close,
    octets,
    send,
)
from benchmarks.hostile_requests.request_builders import BUILDERS, Builder
from benchmarks.hostile_requests.run import ResponseCounts
from tests.support.servers.single_response import saying

SECRET = "u3Zb0qT5oQk9vX1yHc7mWg2nRs8eLd4aPf6jKiOhYtE"
JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ2dS0wMTIzNDU2Nzg5YWJjZGVmIn0." + SECRET * 2
FORMS = {
    "as it is": SECRET.encode(),
    "cut": SECRET[:20].encode(),
    "its end": SECRET[20:].encode(),
    "hexadecimal": SECRET.encode().hex().encode(),
    "base64": base64.b64encode(SECRET.encode()),
    "decoded": base64.urlsafe_b64decode(SECRET + "="),
    "decoded, hexadecimal": base64.urlsafe_b64decode(SECRET + "=").hex().encode(),
}


@pytest.mark.parametrize("written", FORMS.values(), ids=FORMS)
def test_a_secret_is_found_however_it_is_written(written: bytes, tmp_path: Path) -> None:
    """Also where two parts of a file that are read one after the other share it."""
    planted = PlantedSecrets()
    planted.add("token", SECRET)
    (tmp_path / "log").write_bytes(b"." * ((1 << 20) - 8) + written + b"." * 10)

    assert [each.kind for each in planted.search(b"x" + written, "log")] == ["token"]
    assert [each.place for each in planted.search_file(tmp_path / "log")] == ["log"]


def test_what_everybody_knows_is_no_secret() -> None:
    """The header of a JWT is always the same; what follows is not."""
    planted = PlantedSecrets()
    planted.add("access_token", JWT)
    planted.add("request_uri", f"urn:ietf:params:oauth:request_uri:{SECRET}")

    assert (
        planted.search(b"eyJhbGciOiJFUzI1NiJ9 urn:ietf:params:oauth:request_uri:", "log") == []
    )
    assert planted.search(JWT[-40:].encode(), "log")
    assert planted.search(SECRET.encode(), "log")


def test_every_secret_of_an_answer_is_remembered() -> None:
    """Tokens in JSON, codes in redirects, cookies: later they may be found nowhere."""
    planted = PlantedSecrets()
    head = f"HTTP/1.1 302 Found\r\nSet-Cookie: thenar-session={SECRET}; Path=/\r\n"
    code, token = SECRET[::-1], SECRET.swapcase()
    head += f"Location: https://shop.example/?code={code}&state=s\r\n"
    body = json.dumps({"refresh_token": token, "expires_in": 3}).encode()

    planted.collect(Response(302, head.encode(), body))

    assert planted.count == 3
    for secret in (SECRET, code, token):
        assert planted.search(secret.encode(), "log")


@pytest.mark.parametrize(
    ("framing", "wanted"),
    [
        (Framing.LENGTH, b"Content-Length: 3\r\nConnection: close\r\n\r\na=b"),
        (Framing.TOO_SHORT, b"Content-Length: 1\r\nConnection: close\r\n\r\na=b"),
        (Framing.CHUNKED, b"chunked\r\nConnection: close\r\n\r\n3\r\na=b\r\n0\r\n\r\n"),
        (Framing.BROKEN_CHUNKS, b"chunked\r\nConnection: close\r\n\r\nzz\r\na=b\r\n-1\r\n"),
        (Framing.NONE, b"/x?q=%00 HTTP/1.1\r\nConnection: close\r\n\r\na=b"),
    ],
    ids=lambda value: value.value if isinstance(value, Framing) else "",
)
def test_a_body_is_framed_as_it_is_told(framing: Framing, wanted: bytes) -> None:
    """Rightly, and in every wrong way."""
    request = Request("POST", "/x", (("q", "\0"),), form=(("a", "b"),), framing=framing)

    assert request.octets().endswith(wanted)


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        (Request("GET", "/"), False),
        (Request("POST", "/", framing=Framing.TOO_LONG), True),
        (Request("GET", "/", headers=(("content-Length", "5"),)), True),
    ],
)
def test_a_server_that_may_wait_is_told_that_nothing_more_comes(
    request_: Request,
    wanted: bool,  # noqa: FBT001 - a row
) -> None:
    """Otherwise it waits rightly, and would be taken for hung."""
    assert needs_half_close(request_) is wanted


def test_a_body_nested_without_end_can_be_changed() -> None:
    """It is one of those that are sent."""
    deep = Request("POST", "/", body=b"[" * 5000)

    assert _member(0, 1, deep).content == b"1"


def test_lone_surrogates_become_the_octets_they_stand_for() -> None:
    """So that invalid UTF-8 can be drawn as text (PEP 383)."""
    assert octets("a\udcffé") == b"a\xff\xc3\xa9"
    assert octets("\ud800") == b"?"


requests_drawn = st.builds(
    Request,
    st.sampled_from(["GET", "POST"]),
    st.sampled_from(["/", "/token", "/a/b/c"]),
    query=st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple),
    headers=st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple),
    form=st.none() | st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple),
    body=st.binary(max_size=50) | st.just(b'{"a": 1}'),
)


@settings(max_examples=200, deadline=None)
@given(requests_drawn, st.lists(mutations, max_size=3))
def test_every_change_fits_every_request(request: Request, applied: list[Mutation]) -> None:
    """A change that fails would be a request that is never sent."""
    assert mutate(request, applied).octets()


@pytest.mark.parametrize(
    ("said", "status", "hung"),
    [
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", 500, False),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, False),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n", 200, False),
        (b"", 0, False),
    ],
    ids=["fault", "interim", "endless", "hung up"],
)
def test_what_comes_back_is_told_apart(said: bytes, status: int, hung: bool) -> None:  # noqa: FBT001 - a row
    """Only a 5xx counts against the service, and saying nothing at all."""
    counts = ResponseCounts()
    with saying(said) as port:
        came = send(port, b"GET / HTTP/1.1\r\n\r\n")
    counts.count("page", came, b"")

    assert (came.status, came.hung) == (status, hung)
    assert [each.status for each in counts.bad] == ([500] if status == 500 else [])


@dataclass
class Place:
    """A folder and a log, and nothing that runs."""

    folder: Path

    @property
    def log(self) -> Path:
        """What was printed."""
        return self.folder / "serve.log"


@dataclass
class Fallen:
    """A service that was ill-treated."""

    service: Place
    metrics_port: int = 0


def test_faults_in_the_log_are_seen(tmp_path: Path) -> None:
    """Once each, whatever they name; a refused request is none."""
    lines = [
        'INFO:     127.0.0.1:1 - "GET /?error=ERROR HTTP/1.1" 400 Bad Request',
        "ERROR thenar.mobile: unexpected fault at line 17",
        "ERROR thenar.mobile: unexpected fault at line 18",
        "2026-11-22T01:02:03.004+00:00 ERROR uvicorn.error: fault",
        "2026-11-22T01:02:03.004+00:00 INFO thenar.access: route=/ERROR status=404",
        '{"level": "error", "message": "x"}',
        "Traceback (most recent call last):",
    ]
    (tmp_path / "serve.log").write_text("\n".join(lines))
    fallen: Any = Fallen(Place(tmp_path))

    assert logged_faults(fallen) == [
        "*-*-*T*:*:*.*+*:* ERROR uvicorn.error: fault",
        "ERROR thenar.mobile: unexpected fault at line *",
        "Traceback (most recent call last):",
        '{"level": "error", "message": "x"}',
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Give a real service."""
    with running_installation(tmp_path_factory.mktemp("scene")) as running:
        yield running


@pytest.mark.hands
def test_valid_requests_are_valid(place: Installation) -> None:
    """What is made wrong later is right at first; and what it plants could be found."""
    planted, nobody = PlantedSecrets(), PlantedSecrets()
    place.add_secrets_to(planted)
    with Person(place, planted) as person:
        statuses = {}
        for kind, build in BUILDERS.items():
            answer = send(place.service.port, build(person, {}).octets())
            person.handle_response(answer)
            statuses[kind] = answer.status
    found, told = find_leaks(place, planted, nobody), logged_faults(place)
    nobody.add("path", "/oauth/authorize")

    assert (found, told) == ([], [])
    assert {each.place for each in find_leaks(place, planted, nobody)} == {
        "metrics",
        "serve.log",
    }
    assert planted.count > 100
    wrong = {kind: status for kind, status in statuses.items() if not 200 <= status < 400}
    assert {kind: wrong.pop(kind, None) for kind in NOT_RIGHT} == NOT_RIGHT
    assert wrong.keys() <= {"page"}  # some lead nowhere


NOT_RIGHT = {
    "exchange_signed": 400,  # somebody else's code
    "userinfo_bound": 401,  # a token that is bound to no key
    "logout_confirm": 400,  # a proof of nothing
    "portal_callback": 400,  # an answer to nothing
}

_FEW = settings(
    max_examples=12,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

IN_PLACE = [
    "POST /mobile/v1/enrolments",
    "POST /mobile/v1/enrolments/{enrolment_id}/templates",
    "POST /mobile/v1/logins",
    "PUT /mobile/v1/logins/{login_id}/template",
    "POST /mobile/v1/logins/{login_id}/approve",
    "POST /mobile/v1/account/phones",
    "POST /mobile/v1/account/deletion-code",
    "POST /portal/clients",
    "POST /portal/clients/{client_id}/change",
]


@pytest.mark.hands
def test_every_described_request_can_be_drawn(place: Installation) -> None:
    """A body of a new kind needs somebody who can write it."""
    described, drawn = openapi_builders(place.service.local_url), []

    @seed(1)
    @_FEW
    @given(st.fixed_dictionaries(described))
    def draw_all(requests: dict[str, Builder]) -> None:
        drawn.append(requests)

    draw_all()

    assert all(each.keys() == described.keys() for each in drawn)


@pytest.mark.hands
def test_a_described_request_in_place_reaches_what_it_is_about(place: Installation) -> None:
    """Signed, and with the names of what the person has: each is taken at least once."""
    described = openapi_builders(place.service.local_url)
    wanted, taken = {label: described[label] for label in IN_PLACE}, set()
    with Person(place, PlantedSecrets()) as person:

        def send_all(drawn: dict[str, Builder]) -> None:
            for label, build in drawn.items():
                answer = send(place.service.port, build(person, {}).octets())
                person.handle_response(answer)
                if 200 <= answer.status < 400:
                    taken.add(label)

        # Half of what is drawn is not in place, and some of the rest is meant to be refused.
        for number in range(10):
            if taken != set(IN_PLACE):
                run = given(st.fixed_dictionaries(wanted))(send_all)
                seed(number)(_FEW(run))()

    assert taken == set(IN_PLACE)


@pytest.mark.hands
def test_the_command_writes_what_it_found(
    place: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A soak that nobody can read again was not made."""

    @contextmanager
    def running(_folder: Path) -> Iterator[Installation]:
        yield place

    monkeypatch.setattr(
        "benchmarks.hostile_requests.installation.running_installation", running
    )
    monkeypatch.setattr("benchmarks.hostile_requests.run.SENDERS", 2)
    wanted = ["requests", "--count", "80", "--seed", "5", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, wanted, catch_exceptions=False)
    written = json.loads((tmp_path / "requests.json").read_text("utf-8"))

    assert done.exit_code == 0, done.output
    assert written["holds"]
    assert written["requests"] + sum(written["not_made"].values()) == 80
    assert (written["server_errors"], written["hung"], written["secrets_found"]) == (0, 0, [])
    assert written["code"]
