"""The OpenAPI description says what the service does, and has no field for a score."""

from typing import Any

import pytest

from mobile_api import errors
from mobile_api.api.description import errors_of, routes
from mobile_api.api.http import JSON_TYPE
from mobile_api.errors import (
    AuditBroken,
    DeletionUnlisted,
    MobileError,
    NoSuchCode,
    PhoneError,
    ProcessesRun,
    SettingsFault,
    StationFault,
    StorageFault,
)
from mobile_api.messages import AnswerMessage
from mobile_api.server.error_responses import STATUS, status_of
from tests.support.service.mobile_api import API, MobileWorld

WITHOUT_PROOF = {("get", "/nonce"), ("get", "/consent"), ("get", "/earlier-key")}


@pytest.fixture
def described(world: MobileWorld) -> dict[tuple[str, str], Any]:
    """Give the described operations by method and address under the API."""
    description = world.client.get(f"{API}/openapi.json").json()
    return {
        (method, path): operation
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }


def test_bodies_proofs_and_errors_are_described(described: dict[tuple[str, str], Any]) -> None:
    """The author of a phone reads nothing else. Generators take the first content type."""
    assert len(described) > 45
    for operation, found in described.items():
        is_signed, body = operation not in WITHOUT_PROOF, found.get("requestBody", {})
        refused = {
            status: answer["content"][JSON_TYPE]["schema"]["$ref"].rpartition("/")[2]
            for status, answer in found["responses"].items()
            if status >= "4"
        }

        assert len(body.get("content", [0])) == 1, operation
        assert found.get("security", []) == ([{"DPoP": []}] if is_signed else []), operation
        assert found["description"]
        assert set(refused.values()) == {"ErrorMessage"}, operation
        assert {"429", "503"} | ({"401"} if is_signed else set()) <= set(refused), operation
        assert not body or {"400", "413", "415", "422"} <= set(refused), operation
        assert "500" not in refused, operation


def test_no_two_operations_have_one_name(described: dict[tuple[str, str], Any]) -> None:
    """Generators number the second one."""
    names = [each["operationId"] for each in described.values()]

    assert len(set(names)) == len(names)
    assert all(name.isalpha() for name in names)


def test_no_two_named_enumerations_share_a_word(world: MobileWorld) -> None:
    """Each word is a constant of a Go client, whatever its enumeration."""
    schemas = world.client.get(f"{API}/openapi.json").json()["components"]["schemas"]
    words = [word for schema in schemas.values() for word in schema.get("enum", ())]

    assert len(words) > 30
    assert len(set(words)) == len(words)


def _faults_of_the_service() -> list[type[MobileError]]:
    commands = (ProcessesRun, SettingsFault, StationFault, NoSuchCode, AuditBroken)
    internal = (PhoneError, StorageFault, DeletionUnlisted, *commands)
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
    found = {code for route in routes() for each in errors_of(route).values() for code in each}

    assert status_of(kind) in set(STATUS.values())
    assert kind.code in found


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
