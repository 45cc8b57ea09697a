"""The portal answers as it is described: to everything a stranger or a developer may send."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from schemathesis import GenerationMode

from oidc.portal.sessions import PROOF
from oidc.settings import OidcSettings
from tests.support.openapi_requests import AnyCase, operations, send_many
from tests.support.service.portal_developer import Visitor, invite
from tests.support.service.sign_in import SignIn

HERE = "https://id.example"

ROUTES = {
    "GET ", "GET /callback", "GET /clients/new", "GET /clients/{client_id}",
    "GET /clients/{client_id}/change", "GET /clients/{client_id}/remove", "GET /join",
    "GET /trial", "GET /trial/callback", "HEAD ", "HEAD /clients/new",
    "HEAD /clients/{client_id}", "HEAD /clients/{client_id}/change",
    "HEAD /clients/{client_id}/remove", "HEAD /join", "HEAD /trial", "POST /clients",
    "POST /clients/{client_id}/change", "POST /clients/{client_id}/remove",
    "POST /clients/{client_id}/secret", "POST /clients/{client_id}/logo",
    "POST /clients/{client_id}/logo/remove", "POST /clients/{client_id}/team/invite",
    "POST /clients/{client_id}/team/remove", "POST /clients/{client_id}/team/withdraw",
    "POST /join", "POST /sign-in", "POST /sign-out", "POST /team", "POST /trial", "GET /team",
    "HEAD /team", "POST /notices",
}  # fmt: skip

TRIED = [
    (who, label)
    for who in ("developer", "stranger")
    for label in sorted(ROUTES)
    if (who, label) != ("developer", "POST /sign-out")  # the others need the session
]


@pytest.fixture(scope="module")
def developer(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Give a developer who has joined and has a client."""
    folder = tmp_path_factory.mktemp("described") / "data"
    shutil.copytree(migrated, folder)
    settings = OidcSettings(
        issuer="https://id.example",
        database_url=f"sqlite:///{folder / 'protocol.sqlite3'}",
        key_encryption_key_file=folder / "protocol.key",
        portal_clients=10_000,
    )
    sign_in = SignIn(settings)
    visitor = Visitor(sign_in)
    visitor.join(invite(sign_in))
    yield visitor
    sign_in.close()


@pytest.fixture(scope="module")
def document(developer: Visitor) -> dict[str, Any]:
    """Give the description that is served."""
    answer = developer.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


def test_every_page_and_form_is_described(document: dict[str, Any]) -> None:
    """What is not described would not be tried."""
    found = {operation.label for operation in operations(document)}

    assert found == {each.replace(" ", " /portal", 1) for each in ROUTES}


@pytest.mark.parametrize(("who", "label"), TRIED)
def test_every_answer_is_as_described(
    developer: Visitor, document: dict[str, Any], who: str, label: str
) -> None:
    """Statuses and content types, whatever was sent; never a fault of ours."""
    is_joined = who == "developer"
    operation = next(
        each for each in operations(document) if each.label == label.replace(" ", " /portal", 1)
    )
    browser = developer.browser if is_joined else developer.sign_in.new_browser()
    client_id, _ = developer.registered()
    proof = developer.proof()

    def send(case: AnyCase) -> Any:
        told = case.as_transport_kwargs(base_url=HERE)
        told.pop("cookies", None)
        if is_joined and isinstance(told.get("data"), dict) and PROOF in told["data"]:
            told["data"] = {**told["data"], PROOF: proof}
        if isinstance(told.get("data"), bytes):
            told["content"] = told.pop("data")
        if case.path_parameters and case.meta and _is_plain(case):
            path = case.path.format(client_id=client_id)
            told["url"] = HERE + path
        return browser.request(**{k: v for k, v in told.items() if k in SENT})

    statuses = send_many(operation, send, examples=6)

    assert statuses
    if not is_joined and label.startswith("POST"):
        assert set(statuses) == {403}


SENT = ("method", "url", "data", "content", "headers", "params", "json")


def _is_plain(case: AnyCase) -> bool:
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
