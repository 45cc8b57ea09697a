"""The OpenAPI description says what the service does; the page says what the link is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mobile_api import documentation, errors, page
from mobile_api.errors import MobileError, PhoneError, SettingsFault, StorageFault
from mobile_api.faults import STATUS, status_of
from mobile_api.messages import SAMPLE_TYPES, TEMPLATE_TYPE, AnswerMessage
from tests.fakes.mobile import API, PUBLIC_URL, MobileWorld

CONTRACT = {
    ("get", "/nonce"): None,
    ("get", "/consent"): None,
    ("post", "/devices"): {"application/json"},
    ("post", "/enrolments"): {"application/json"},
    ("post", "/enrolments/{enrolment_id}/samples"): set(SAMPLE_TYPES),
    ("post", "/enrolments/{enrolment_id}/templates"): {TEMPLATE_TYPE},
    ("post", "/enrolments/{enrolment_id}/finish"): None,
    ("post", "/logins"): {"application/json"},
    ("get", "/logins/{login_id}"): None,
    ("put", "/logins/{login_id}/palm"): set(SAMPLE_TYPES),
    ("put", "/logins/{login_id}/template"): {TEMPLATE_TYPE},
    ("post", "/logins/{login_id}/approve"): None,
    ("post", "/logins/{login_id}/decline"): None,
    ("post", "/account/deletion"): set(SAMPLE_TYPES),
}
"""Every address of the API, and the content types of its body."""

WITHOUT_PROOF = {("get", "/nonce"), ("get", "/consent")}


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
    """An address nobody knows of is an address nobody tests."""
    assert set(described) == set(CONTRACT)


@pytest.mark.parametrize("operation", CONTRACT, ids=" ".join)
def test_bodies_proofs_and_faults_are_described(
    described: dict[tuple[str, str], Any], operation: tuple[str, str]
) -> None:
    """Whoever writes a phone reads nothing else."""
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
    internal = (PhoneError, StorageFault, SettingsFault)
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
        str(answer["description"])
        for answer in documentation.faults(*documentation.CODES).values()
    )

    assert status_of(kind("")) in set(STATUS.values())
    assert f"`{kind.code}`" in described


def test_the_page_behind_the_qr_code_says_what_it_is(world: MobileWorld) -> None:
    """Whoever opens the link with a camera must learn whether to go on."""
    answer = world.client.get(f"{PUBLIC_URL}/m")

    assert answer.status_code == 200
    assert "thenar phone answer" in answer.text
    assert "close this page" in answer.text
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_everything_the_page_loads_is_there(world: MobileWorld) -> None:
    """Its policy allows nothing from elsewhere, and nothing inline."""
    text = (page.STATIC / "m.html").read_text("utf-8")
    parts = re.findall(r'(?:src|href)="([^"]+)"', text)

    assert parts
    for part in parts:
        assert world.client.get(f"{PUBLIC_URL}/{part}").status_code == 200
    assert not re.search(r"<script>|<style>| on\w+=| style=", text)


def test_static_files_hold_no_address_of_elsewhere() -> None:
    """No third party learns who opens the page."""
    for file in Path(page.STATIC).iterdir():
        assert "//" not in file.read_text("utf-8").replace("// Shows", "")


def test_no_answer_has_room_for_a_score() -> None:
    """A template can be recovered from scores: answers hold words, counts and seconds only."""
    numbers = {
        name
        for kind in AnswerMessage.__subclasses__()
        for name, field in kind.model_fields.items()
        if field.annotation in (int, float, int | None)
    }

    assert numbers == {
        "expires_in",
        "samples_needed",
        "left",
        "right",
        "quality",
        "attempts_left",
    }
