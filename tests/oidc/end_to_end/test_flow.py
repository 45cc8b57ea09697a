"""The whole flow on every database, and what it leaves in the logs."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.util.concurrency import in_greenlet

from oidc.storage.stores.clients import ClientStore
from oidc.storage.stores.grants import GrantStore
from tests.support.service.sign_in import ANNA, CHALLENGE, PHONE, VERIFIER, SignIn, response_of

OFFLINE = "openid offline_access"


def test_an_event_loop_never_waits_for_a_server(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It serves others meanwhile, and hands no request over to a thread."""
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code(scope=OFFLINE)
    noted: set[tuple[bool, bool]] = set()
    for kind in (ClientStore, GrantStore):
        monkeypatch.setattr(kind, "find", noting_loops(kind.find, noted))

    assert anywhere.redeem(code).status_code == 200
    assert anywhere.refresh(tokens["refresh_token"]).status_code == 200
    assert anywhere.userinfo(tokens["access_token"]).status_code == 200
    writing = (True, True) if anywhere.database.is_server else (False, False)
    assert noted == {writing, (True, anywhere.database.is_server)}


def noting_loops(find: Callable[..., Any], noted: set[tuple[bool, bool]]) -> Callable[..., Any]:
    """Return the same function; it notes whether it is in a loop, which it leaves to others."""

    def noting(store: Any, name: Any) -> Any:
        noted.add((asyncio._get_running_loop() is not None, in_greenlet()))
        return find(store, name)

    return noting


def test_the_logs_hold_no_secret_at_any_level(
    sign_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even when an operator turns every logger up to find a fault. ASVS 16.2.5."""
    caplog.set_level(logging.DEBUG)
    # The test's own HTTP client logs the addresses it calls.
    for name in ("httpx2", "httpcore2", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    page = sign_in.open_page(
        scope=OFFLINE, code_challenge=CHALLENGE, code_challenge_method="S256"
    )
    ticket, cookie = sign_in.ticket_on(page), next(iter(sign_in.browser.cookies.values()))
    sign_in.approve(page)
    code = response_of(sign_in.proceed(page))["code"]
    first = sign_in.redeem(code, code_verifier=VERIFIER).json()
    second = sign_in.refresh(first["refresh_token"]).json()
    sign_in.redeem(code, code_verifier=VERIFIER)
    sign_in.redeem("x", client_secret="a-guessed-secret")
    sign_in.userinfo(second["access_token"])
    sign_in.handoff.delete_account(ANNA)

    secrets = [
        ticket,
        cookie,
        code,
        VERIFIER,
        sign_in.shop.secret,
        "a-guessed-secret",
        str(ANNA),
        str(PHONE),
        *(value for body in (first, second) for value in body.values() if len(str(value)) > 30),
    ]
    assert len(secrets) >= 14
    assert [secret for secret in secrets if str(secret) in caplog.text] == []
