"""What a service leaves behind: hostile requests, its log, and its databases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

import cv2
import httpx2
import numpy as np
import pytest

from mobile_api.messages import TEMPLATE_TYPE
from mobile_api.reference_phone.client import ReferencePhone, new_key
from tests.support.palms.picture_files import png_bomb
from tests.support.service.journey import Serve, World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA = 0

JPEG, JSON = "image/jpeg", "application/json"

HOSTILE = [
    ("a bomb", png_bomb(20_000, 20_000), "image/png", 422, "sample_too_large"),
    ("nothing", b"", JPEG, 422, "sample_unreadable"),
    ("noise", bytes(range(256)) * 40, JPEG, 422, "sample_unreadable"),
    ("too long", bytes(12_000_001), JPEG, 413, "body_too_large"),
    ("text", b"palm", "text/plain", 415, "wrong_content_type"),
    ("no hand", cv2.imencode(".png", np.full((480, 480, 3), 90, np.uint8))[1].tobytes(),
     "image/png", 422, "palm_not_found"),
]  # fmt: skip


class HostilePhone(ReferencePhone):
    """A registered phone that sends what it likes, properly signed."""

    def send(self, method: str, path: str, body: bytes, content_type: str) -> httpx2.Response:
        """Send any body anywhere."""
        return self._signed(method, path, body, content_type)

    def replay(self, path: str, body: bytes) -> list[httpx2.Response]:
        """Send one signed request twice, as a thief on the line would."""
        self.look_for_nonce()
        headers = {"DPoP": self._proof("POST", path, body), "Content-Type": JSON}
        return [self._send("POST", path, body, headers) for _ in range(2)]

    def look_for_nonce(self) -> None:
        """Fetch a fresh nonce."""
        self._send("GET", "/nonce", b"", {})


@pytest.fixture(scope="module")
def watched(serve: Serve) -> Iterator[World]:
    """Give a service of our own, so that its log is ours; it looks at everybody's templates."""
    with serve(THENAR_MOBILE_TEMPLATE_TRUST="any_device") as world:
        yield world


@pytest.fixture
def thug(watched: World) -> Iterator[HostilePhone]:
    """Give a phone that is registered and not well-behaved."""
    with httpx2.Client(timeout=60) as http:
        phone = HostilePhone(f"{watched.service.local_url}/mobile/v1", new_key(), http)
        phone.register("x")
        yield phone


def rows(world: World) -> dict[str, int]:
    """Count what is kept of people."""
    database = sqlite3.connect(world.service.folder / "biometric.sqlite3")
    counts = {
        table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        for table in ("accounts", "biometric_references")
    }
    database.close()
    return counts


def refused(answer: httpx2.Response, status: int, error: str) -> None:
    """Assert a clear refusal: status, code, words, and nothing of the insides."""
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["message"]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("body", "content_type", "status", "error"),
    [case[1:] for case in HOSTILE],
    ids=[case[0] for case in HOSTILE],
)
def test_a_bad_picture_is_refused_everywhere(watched, thug, body, content_type, status, error):
    """At enrolment and login alike: a clear error, and nothing half-stored."""
    before = rows(watched)
    enrolment = thug.open_enrolment(thug.consent()).enrolment_id
    refused(
        thug.send("POST", f"/enrolments/{enrolment}/samples", body, content_type), status, error
    )
    with watched.begin() as login:
        claimed = thug.claim(login.link.partition("#")[2].removesuffix("&here"))
        path = f"/logins/{claimed.login_id}/palm"
        refused(thug.send("PUT", path, body, content_type), status, error)

    assert rows(watched) == before


def test_a_truncated_photo_is_refused(watched, thug):
    """A connection that broke in the middle of a photo must not become half a palm."""
    photo = watched.people[ADA].palm
    enrolment = thug.open_enrolment(thug.consent()).enrolment_id
    answer = thug.send(
        "POST", f"/enrolments/{enrolment}/samples", photo[: len(photo) // 2], JPEG
    )

    assert answer.status_code == 422
    assert answer.json()["error"] in {"sample_unreadable", "palm_not_found", "quality_too_low"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"ticket": NaN}', 422),
        (b'{"ticket": 1e999}', 422),
        (b'{"ticket": "' + b"x" * 300 + b'"}', 422),
        (b'{"ticket": "a", "more": 1}', 422),
        (b"[" * 5000, 422),
        (b"\xff\xfe", 422),
        (b'{"ticket": "' + b"x" * 20_000 + b'"}', 413),
    ],
)
def test_bad_json_is_refused(thug, body, status):
    """Strange numbers, nesting, bytes and lengths: refused without being echoed."""
    answer = thug.send("POST", "/logins", body, JSON)

    assert answer.status_code == status
    assert "xxxx" not in answer.text
    assert "NaN" not in answer.text


def test_a_bad_template_is_refused(watched, thug):
    """Bytes that are no template are no template."""
    with watched.begin() as login:
        claimed = thug.claim(login.link.partition("#")[2].removesuffix("&here"))
        path = f"/logins/{claimed.login_id}/template"
        for body in (b"", b"THNR", bytes(2000)):
            refused(thug.send("PUT", path, body, TEMPLATE_TYPE), 422, "template_refused")


def test_a_replayed_request_is_refused(watched, thug):
    """A nonce works once: whoever recorded a request cannot send it again."""
    with watched.begin() as login:
        body = json.dumps(
            {"ticket": login.link.partition("#")[2].removesuffix("&here")}
        ).encode()
        first, second = thug.replay("/logins", body)

    assert first.status_code == 200
    refused(second, 401, "use_dpop_nonce")
    assert second.headers["dpop-nonce"]


def test_the_log_holds_no_secret_and_no_traceback(watched):
    """After good and bad days: no token, code, ticket, secret or subject in the log."""
    person = watched.person(ADA)
    with watched.begin(scope="openid offline_access") as login:
        ticket = login.link.partition("#")[2].removesuffix("&here")
        login.answer(person)
        code = login.finish().parameters["code"]
    tokens = watched.shop.exchange(code).json()
    watched.shop.refresh(tokens["refresh_token"])
    watched.shop.userinfo(tokens["access_token"])
    subject = watched.shop.read_token(tokens["id_token"]).claims["sub"]
    log = watched.service.log.read_text()

    secrets = [
        ticket,
        code,
        tokens["access_token"],
        tokens["id_token"],
        tokens["refresh_token"],
        watched.shop.registration.client_secret,
        subject,
    ]
    assert log
    assert "Traceback" not in log
    assert [secret for secret in secrets if secret in log] == []


def test_the_databases_hold_no_secret_in_the_clear(watched):
    """Tokens, codes and secrets are kept as digests; no picture is kept at all."""
    person = watched.person(ADA)
    with watched.begin(scope="openid offline_access") as login:
        login.answer(person)
        code = login.finish().parameters["code"]
    tokens = watched.shop.exchange(code).json()
    kept = b"".join(
        file.read_bytes() for file in watched.service.folder.iterdir() if "sqlite3" in file.name
    )

    for secret in (code, tokens["refresh_token"], watched.shop.registration.client_secret):
        assert secret.encode() not in kept
    for head in (b"\xff\xd8\xff", b"\x89PNG", b"WEBP"):
        assert head not in kept
