"""What hostiles send: each with a clear error, the right status, and nothing kept.

The table begins with a good request and spoils one thing.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from joserfc.jwk import ECKey
from sqlalchemy.exc import OperationalError

from engine.template_codec import encode_template
from engine.types import ExtractorId
from mobile_api import messages as m
from mobile_api.reference_phone.client import ReferencePhone
from oidc.plumbing.database import KeptConnections
from tests.support.palms.fake_engine import picture, template
from tests.support.palms.picture_files import png_bomb
from tests.support.phone.hostile import HostilePhone, Sent
from tests.support.service.mobile_api import API, MobileWorld

MARKER = "marker-7f3a9c"
"""Put into every bad request; must come back in no answer and appear in no log."""


@pytest.fixture
def hostile(fleet: MobileWorld) -> Iterator[HostilePhone]:
    """Give an attacker with a registered phone."""
    yield HostilePhone(fleet)


SAMPLE = Sent(path="/enrolments/{enrolment}/samples", content_type="image/png")
PALM = Sent(method="PUT", path="/logins/{login}/palm", content_type="image/png")
TEMPLATE = Sent(path="/enrolments/{enrolment}/templates", content_type=m.TEMPLATE_TYPE)
DELETION = Sent(path="/account/deletion", body=b'{"palm_proof": "p"}')
DEVICE = Sent(path="/devices")
LOGIN = Sent(path="/logins")
GOOD_LOGIN = replace(LOGIN, body=b'{"ticket": "t"}')
GOOD_TEMPLATE = encode_template(template(1))
OTHER_TEMPLATE = encode_template(replace(template(1), extractor=ExtractorId("other-1")))
FLIPPED_BIT = GOOD_TEMPLATE[:90] + b"\xff" + GOOD_TEMPLATE[91:]
JSON = {"consent_version": MARKER, "consent_sha256": "0" * 64}


def as_json(value: object) -> bytes:
    """Write JSON, NaN included."""
    return json.dumps(value).encode()


TABLE: dict[tuple[int, str], dict[str, Sent]] = {
    (422, "sample_unreadable"): {
        "empty picture": replace(SAMPLE, body=b""),
        "garbage": replace(SAMPLE, body=MARKER.encode() * 50),
        "truncated picture": replace(SAMPLE, body=picture(1)[:60]),
        "GIF": replace(PALM, body=b"GIF89a" + bytes(100)),
    },
    (422, "sample_too_large"): {
        "many pixels in 48 KB": replace(SAMPLE, body=png_bomb(20_000, 20_000))
    },
    (422, "palm_not_found"): {"no palm": replace(PALM, body=png_bomb(64, 64))},
    (413, "body_too_large"): {
        "body too long": replace(SAMPLE, body=bytes(12_000_001)),
        "template too long": replace(TEMPLATE, body=bytes(65_537)),
        "JSON too long": Sent(body=as_json(JSON | {"x": "y" * 20_000})),
    },
    (422, "invalid_request"): {
        "no JSON": Sent(body=MARKER.encode()),
        "JSON cut": Sent(body=b'{"consent_version": "' + MARKER.encode()),
        "empty JSON body": replace(LOGIN, body=b""),
        "JSON null": replace(LOGIN, body=b"null"),
        "NaN": replace(LOGIN, body=b'{"ticket": NaN}'),
        "Infinity": replace(LOGIN, body=b'{"ticket": -Infinity}'),
        "huge number": replace(LOGIN, body=b'{"ticket": 1e999}'),
        "deep JSON": replace(LOGIN, body=b"[" * 8000),
        "no UTF-8": replace(LOGIN, body=b'{"ticket": "\xff"}'),
        "lone surrogate": replace(DEVICE, body=b'{"name": "\\ud800"}'),
        "NUL in a name": replace(DEVICE, body=as_json({"name": f"{MARKER}\0"})),
        "newline in a name": replace(DEVICE, body=as_json({"name": f"a\n{MARKER}"})),
        "empty name": replace(DEVICE, body=as_json({"name": ""})),
        "long name": replace(DEVICE, body=as_json({"name": MARKER * 20})),
        "unknown field": replace(LOGIN, body=as_json({"ticket": "t", MARKER: 1})),
        "long ticket": replace(LOGIN, body=as_json({"ticket": "t" * 257})),
        "ticket with a path": replace(LOGIN, body=as_json({"ticket": "../x"})),
        "digest of no digest": Sent(body=as_json(JSON | {"consent_sha256": "x"})),
        "long login name": replace(PALM, path="/logins/" + "l" * 65 + "/palm"),
        "odd login name": replace(
            PALM, path="/logins/%00/palm", claims={"htu": API + "/logins/\0/palm"}
        ),
    },
    (415, "wrong_content_type"): {
        "JSON as picture": replace(SAMPLE, content_type="application/json"),
        "picture as text": replace(PALM, content_type="text/plain"),
        "picture without type": replace(PALM, content_type=None),
        "picture as template": replace(TEMPLATE, content_type="image/png"),
        "form as JSON": replace(LOGIN, content_type="application/x-www-form-urlencoded"),
        "JSON without type": replace(LOGIN, content_type=None, body=b"{}"),
    },
    (422, "template_refused"): {
        "template garbage": replace(TEMPLATE, body=MARKER.encode()),
        "template cut": replace(TEMPLATE, body=GOOD_TEMPLATE[:-1]),
        "template flipped bit": replace(TEMPLATE, body=FLIPPED_BIT),
    },
    (422, "extractor_mismatch"): {
        "template of another extractor": replace(TEMPLATE, body=OTHER_TEMPLATE)
    },
    (410, "login_gone"): {
        "unknown ticket": replace(LOGIN, body=as_json({"ticket": MARKER})),
        "unknown login": replace(PALM, path="/logins/none/palm", body=picture(1)),
    },
    (409, "consent_changed"): {"consent to another text": Sent(body=as_json(JSON))},
    (410, "enrolment_gone"): {
        "unknown enrolment": replace(SAMPLE, path="/enrolments/none/samples", body=picture(1))
    },
    (404, "not_found"): {"no such address": Sent(path="/nothing")},
    (405, "method_not_allowed"): {"no such method": Sent(method="DELETE", path="/logins")},
    (401, "invalid_dpop_proof"): {
        "no proof": replace(GOOD_LOGIN, proof=""),
        "no token as proof": replace(GOOD_LOGIN, proof=MARKER),
        "changed body": replace(LOGIN, body=b'{"ticket": "u"}', signed_body=b'{"ticket": "t"}'),
        "changed picture": replace(PALM, body=picture(1), signed_body=picture(2)),
        "other address": replace(GOOD_LOGIN, claims={"htu": API + "/devices"}),
        "address of the Host header": replace(
            GOOD_LOGIN, claims={"htu": "http://testserver/oauth2/mobile/v1/logins"}
        ),
        "other method": replace(GOOD_LOGIN, claims={"htm": "PUT"}),
    },
    (401, "clock_skew"): {
        "clock behind": replace(GOOD_LOGIN, claims={"iat": 1_700_000_000}),
        "clock ahead": replace(GOOD_LOGIN, claims={"iat": 9_900_000_000}),
    },
    (401, "use_dpop_nonce"): {
        "no nonce": replace(GOOD_LOGIN, claims={"nonce": None}),
        "invented nonce": replace(GOOD_LOGIN, claims={"nonce": MARKER}),
    },
    (403, "device_unknown"): {
        "unregistered key": replace(GOOD_LOGIN, key=ECKey.generate_key("P-256"))
    },
    (403, "device_unbound"): {"nothing to delete": DELETION},
}
"""What is spoilt of a good request, by the answer."""


@pytest.mark.parametrize(
    ("sent", "status", "error"),
    [
        pytest.param(sent, *answer, id=name)
        for answer, requests in TABLE.items()
        for name, sent in requests.items()
    ],
)
def test_bad_input_is_answered_clearly_and_kept_nowhere(
    hostile: HostilePhone, caplog: pytest.LogCaptureFixture, sent: Sent, status: int, error: str
) -> None:
    """Status, code, a sentence, a nonce for the next try; no echo, no trace, no row."""
    caplog.set_level(logging.DEBUG)
    before = _rows(hostile.world)
    response = hostile.send(sent)

    body = response.json()
    assert (response.status_code, body["error"]) == (status, error)
    assert body["message"]
    assert set(body) <= {"error", "message", "hint", "reason"}
    assert response.headers[m.NONCE_HEADER]
    assert response.headers["Cache-Control"] == "no-store"
    assert MARKER not in response.text
    assert MARKER not in _logged(caplog)
    assert "Traceback" not in response.text + _logged(caplog)
    assert _rows(hostile.world) == before  # a picture that was looked at is counted apart


def _rows(world: MobileWorld) -> dict[str, int]:
    tables = (
        "accounts", "devices", "enrolments", "enrolment_samples", "biometric_references",
    )  # fmt: skip
    return {table: world.rows(table) for table in tables}


def _logged(caplog: pytest.LogCaptureFixture) -> str:
    ours = [record for record in caplog.records if record.name.startswith("thenar")]
    return " ".join(record.getMessage() for record in ours)


def test_the_good_requests_behind_the_table_pass(hostile: HostilePhone) -> None:
    """The table must fail for what it spoils, not for how it sends."""
    good = [
        replace(SAMPLE, body=picture(1, shot=1)),
        replace(TEMPLATE, body=GOOD_TEMPLATE),
        replace(PALM, body=picture(1)),
        replace(DEVICE, body=as_json({"name": "ü" * 64})),
        replace(GOOD_LOGIN, content_type="Application/JSON; charset=utf-8"),
    ]

    assert [hostile.send(each).status_code for each in good] == [200, 200, 200, 200, 410]


def test_a_proof_cannot_be_used_again(hostile: HostilePhone) -> None:
    """An eavesdropper cannot repeat a request."""
    sent = replace(DEVICE, body=as_json({"name": "a"}))
    sent = replace(sent, proof=hostile.proof(sent))
    answers = [hostile.send(sent) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 401]
    assert answers[1].json()["error"] == "use_dpop_nonce"
    assert 'error="use_dpop_nonce"' in answers[1].headers["WWW-Authenticate"]


FOREIGN: list[tuple[str, Sent, int]] = [
    ("not signed", replace(SAMPLE, proof="x"), 401),
    ("for another address", replace(SAMPLE, claims={"htu": f"{API}/logins"}), 401),
    ("nonce of another service", replace(SAMPLE, claims={"nonce": "A" * 54}), 401),
    ("no digest", replace(SAMPLE, claims={"bh": None}), 401),
    ("unknown phone", replace(SAMPLE, key=ECKey.generate_key("P-256")), 403),
    ("not a picture", replace(SAMPLE, content_type="text/plain"), 415),
    ("a registered phone", SAMPLE, 413),
]


@pytest.mark.parametrize(("name", "sent", "status"), FOREIGN, ids=[row[0] for row in FOREIGN])
def test_a_body_is_read_for_a_registered_phone_only_and_no_further_than_its_limit(
    hostile: HostilePhone, name: str, sent: Sent, status: int
) -> None:
    """Headers come first: a caller who may send nothing costs no memory."""
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(64):
            taken += 1_000_000
            yield bytes(1_000_000)

    response = hostile.world.client.post(
        API + hostile.path(sent),
        content=endless(),
        headers={
            "Content-Type": sent.content_type or "",
            m.PROOF_HEADER: sent.proof or hostile.proof(sent),
        },
    )

    assert response.status_code == status, name
    assert (taken == 0) == (status != 413)


def test_reading_spends_no_nonce(hostile: HostilePhone) -> None:
    """Waiting phones commit nothing; what changes something still needs its own nonce."""
    look = Sent("GET", "/logins/{login}", content_type=None)
    decline = Sent("POST", "/logins/{login}/decline", content_type=None)
    nonce = {"nonce": hostile.nonce()}
    before = hostile.world.rows("spent_nonces")
    looked = [hostile.send(replace(look, claims=nonce)).status_code for _ in range(3)]
    after = hostile.world.rows("spent_nonces")
    declined = [hostile.send(replace(decline, claims=nonce)).status_code for _ in range(2)]

    assert (looked, declined) == ([200] * 3, [200, 401])
    assert after == before


@pytest.mark.parametrize("kind", [RuntimeError, MemoryError, ValueError])
def test_a_fault_of_ours_tells_nothing(
    world: MobileWorld, caplog: pytest.LogCaptureFixture, kind: type[Exception]
) -> None:
    """500, no words of the fault to the phone and none to the log; where it was is logged."""
    phone = world.phone()
    login = phone.claim(world.handoff.open()).login_id
    world.pipeline.fault = kind(MARKER)
    response = HostilePhone.send(_as(world, phone, login), replace(PALM, body=picture(1)))

    assert response.status_code == 500
    assert response.json()["error"] == "server_error"
    assert MARKER not in response.text + caplog.text
    assert kind.__name__ in caplog.text


def test_a_phone_is_asked_to_come_back_while_a_database_is_away(
    hostile: HostilePhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the provider asks apps."""

    def refuse(_connections: KeptConnections) -> None:
        raise OperationalError(MARKER, {}, ConnectionError())

    monkeypatch.setattr(KeptConnections, "connection", refuse)
    response = hostile.send(GOOD_LOGIN)

    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert response.json()["error"] == "temporarily_unavailable"


def _as(world: MobileWorld, phone: ReferencePhone, login: str) -> HostilePhone:
    hostile = HostilePhone(world)
    hostile.phone, hostile.login = phone, login
    return hostile
