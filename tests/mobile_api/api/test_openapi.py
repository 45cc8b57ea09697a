"""The OpenAPI description says what the service does, and has no field for a score."""

from typing import Any

import pytest

from mobile_api import errors
from mobile_api.api import http
from mobile_api.errors import (
    AuditBroken,
    MobileError,
    NoSuchCode,
    PhoneError,
    ProcessesRun,
    SettingsFault,
    StationFault,
    StorageFault,
)
from mobile_api.frames import FRAMES_TYPE
from mobile_api.messages import SAMPLE_TYPES, TEMPLATE_TYPE, AnswerMessage
from mobile_api.server.error_responses import STATUS, status_of
from tests.support.service.mobile_api import API, MobileWorld

SHOWN = {*SAMPLE_TYPES, "application/json"}
ATTEMPT = {*SHOWN, FRAMES_TYPE}
"""A picture of a palm, or a challenge that was passed."""

CONTRACT = {
    ("get", "/nonce"): None,
    ("get", "/consent"): None,
    ("get", "/earlier-key"): None,
    ("post", "/devices"): {"application/json"},
    ("post", "/enrolments"): {"application/json"},
    ("post", "/enrolments/{enrolment_id}/samples"): SHOWN,
    ("post", "/enrolments/{enrolment_id}/templates"): {TEMPLATE_TYPE},
    ("post", "/enrolments/{enrolment_id}/finish"): None,
    ("post", "/logins"): {"application/json"},
    ("get", "/logins/{login_id}"): None,
    ("get", "/logins/{login_id}/events"): None,
    ("put", "/logins/{login_id}/palm"): ATTEMPT,
    ("put", "/logins/{login_id}/template"): {TEMPLATE_TYPE},
    ("put", "/logins/{login_id}/palm-proof"): {"application/json"},
    ("post", "/logins/{login_id}/approve"): None,
    ("post", "/logins/{login_id}/decline"): None,
    ("post", "/logins/{login_id}/report"): None,
    ("post", "/challenges"): {"application/json"},
    ("put", "/challenges/{challenge_id}/steps/{number}"): {FRAMES_TYPE},
    ("post", "/stations"): {"application/json"},
    ("post", "/stations/cookie"): None,
    ("post", "/palm-proofs"): {*ATTEMPT, TEMPLATE_TYPE},
    ("post", "/passkeys/creation"): {"application/json"},
    ("post", "/passkeys"): {"application/json"},
    ("post", "/passkeys/challenge"): None,
    ("post", "/passkeys/assertions"): {"application/json"},
    ("post", "/passkeys/removal"): None,
    ("post", "/connections"): {*ATTEMPT, TEMPLATE_TYPE},
    ("post", "/connections/{handle}/withdraw"): {"application/json"},
    ("get", "/account/phone"): None,
    ("post", "/account/phone/trust"): {"application/json"},
    ("post", "/account/phone/recovery"): {"application/json"},
    ("post", "/account/phone/push"): {"application/json"},
    ("post", "/account/phone/push/removal"): None,
    ("post", "/account/phones"): {*ATTEMPT, TEMPLATE_TYPE},
    ("post", "/account/phones/{handle}/approve"): {"application/json"},
    ("post", "/account/phones/{handle}/refuse"): None,
    ("post", "/account/phones/refuse"): None,
    ("post", "/account/phones/{handle}/removal"): {"application/json"},
    ("post", "/account/recovery-code"): {"application/json"},
    ("post", "/account/deletion-code"): {"application/json"},
    ("post", "/account/deletion"): {"application/json"},
}
"""Every address of the API, and the content types of its body."""

WITHOUT_PROOF = {("get", "/nonce"), ("get", "/consent"), ("get", "/earlier-key")}


@pytest.fixture
def described(world: MobileWorld) -> dict[tuple[str, str], Any]:
    """Give the described operations by method and address under the API."""
    description = world.client.get(f"{API}/openapi.json").json()
    return {
        (method, path.removeprefix("/oauth2/mobile/v1")): operation
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }


def test_exactly_the_contract_is_described(described: dict[tuple[str, str], Any]) -> None:
    """An address that is not described is not tested."""
    assert set(described) == set(CONTRACT)


@pytest.mark.parametrize("operation", CONTRACT, ids=" ".join)
def test_bodies_proofs_and_faults_are_described(
    described: dict[tuple[str, str], Any], operation: tuple[str, str]
) -> None:
    """The author of a phone reads nothing else."""
    found = described[operation]
    headers = {p["name"] for p in found.get("parameters", []) if p["in"] == "header"}
    body = found.get("requestBody", {}).get("content")

    assert (set(body) if body else None) == CONTRACT[operation]
    assert ("DPoP" in headers) == (operation not in WITHOUT_PROOF)
    assert found["summary"]
    assert found["description"]
    if operation not in WITHOUT_PROOF:
        for status in {"401"} | ({"413", "415", "422"} if body else set()):
            schema = found["responses"][status]["content"]["application/json"]["schema"]
            assert schema["$ref"].endswith("/ErrorMessage")


def _faults_of_the_service() -> list[type[MobileError]]:
    commands = (ProcessesRun, SettingsFault, StationFault, NoSuchCode, AuditBroken)
    internal = (PhoneError, StorageFault, *commands)
    found = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, MobileError)
    ]
    leaves = [kind for kind in found if not kind.__subclasses__()]
    return [kind for kind in leaves if not issubclass(kind, internal)]


@pytest.mark.parametrize("kind", _faults_of_the_service())
def test_every_fault_of_the_service_has_a_status_and_is_described(
    kind: type[MobileError],
) -> None:
    """A fault without a status would be our own 500; one without words a riddle."""
    described = " ".join(
        str(answer["description"]) for answer in http.errors(*http.ERROR_CODES).values()
    )

    assert status_of(kind("")) in set(STATUS.values())
    assert f"`{kind.code}`" in described


def test_no_answer_has_a_field_for_a_score() -> None:
    """A template can be recovered from scores: answers hold words, counts and seconds only.

    What a step of a challenge asks was drawn before anything was shown.
    """
    numbers = {
        name
        for kind in AnswerMessage.__subclasses__()
        for name, field in kind.model_fields.items()
        if field.annotation in (int, float, int | None, float | None)
    }

    assert numbers == {
        "asked_ago", "asked_at", "at", "last_used", "trusted_in", "since", "expires_in",
        "samples_needed", "left", "right", "quality", "attempts_left", "more_requests", "steps",
        "x", "y", "size", "tilt_deg", "number", "hold_ms", "answer_within_ms",
    }  # fmt: skip
