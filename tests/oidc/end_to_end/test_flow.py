"""The whole flow on every database, and what it leaves in the logs."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from oidc.storage.stores.clients import ClientStore
from oidc.storage.stores.grants import GrantStore
from oidc.storage.transactions import ThreadNeeded
from oidc.token_endpoint.issuing import Issuer
from oidc.types import AuditEvent
from tests.fakes.oidc.sign_in import ANNA, CHALLENGE, PHONE, VERIFIER, SignIn, query_of

OFFLINE = "openid offline_access"


def test_a_login_a_refresh_and_a_deletion(anywhere: SignIn) -> None:
    """From the first request to the last word, the same on both databases."""
    first = anywhere.tokens(scope=OFFLINE)
    subject = anywhere.opened(first["id_token"]).claims["sub"]
    again = anywhere.tokens(user_id=subject)
    second = anywhere.refresh(first["refresh_token"]).json()

    assert anywhere.opened(again["id_token"]).claims["sub"] == subject
    assert anywhere.userinfo(second["access_token"]).json() == {"sub": subject}
    anywhere.door.erase_account(ANNA)
    assert anywhere.userinfo(second["access_token"]).status_code == 401
    assert (
        "error=invalid_request"
        in anywhere.authorize(anywhere.request(user_id=subject)).headers["location"]
    )


def test_of_concurrent_redemptions_and_refreshes_one_wins(anywhere: SignIn) -> None:
    """PostgreSQL decides by row locks, SQLite by one writer: the outcome is the same.

    Refreshes at once all get the one successor: the grace.
    """
    code = anywhere.code(scope=OFFLINE)
    token = anywhere.tokens(scope=OFFLINE)["refresh_token"]

    with ThreadPoolExecutor(6) as pool:
        redeemed = list(pool.map(lambda _: anywhere.redeem(code).status_code, range(6)))
        refreshed = list(pool.map(lambda _: anywhere.refresh(token).status_code, range(6)))

    assert sorted(redeemed) == [200] + [400] * 5
    assert refreshed == [200] * 6


def test_the_busiest_requests_need_no_thread(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code, refresh token and userinfo stay in the event loop; noting an error does not."""
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code(scope=OFFLINE)

    async def refuse(*_call: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr("oidc.web.tokens.run_in_threadpool", refuse)

    assert anywhere.redeem(code).status_code == 200
    assert anywhere.refresh(tokens["refresh_token"]).status_code == 200
    assert anywhere.userinfo(tokens["access_token"]).status_code == 200
    with pytest.raises(AssertionError, match="a thread was asked for"):
        anywhere.redeem(code)


def test_what_was_spent_is_not_begun_again_in_a_thread(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be a code that came twice, and an honest client would lose its login."""
    code = anywhere.code(scope=OFFLINE)

    def refuse(*_given: object, **_named: object) -> None:
        raise ThreadNeeded

    monkeypatch.setattr(Issuer, "response", refuse)

    with pytest.raises(ThreadNeeded):
        anywhere.redeem(code)
    with anywhere.database.read() as stores:
        noted = {entry.event for entry in stores.audit.entries()}
    assert AuditEvent.CREDENTIAL_REUSED not in noted


def test_what_is_checked_goes_to_a_thread_where_it_must(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever says so in the middle of the checks, and for userinfo."""
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code(scope=OFFLINE)
    refused: list[type] = []
    stores: tuple[type[Any], ...] = (ClientStore, GrantStore)
    found = {each: each.find for each in stores}

    def find(store: Any, name: Any) -> Any:
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            refused.append(type(store))
            raise ThreadNeeded
        return found[type(store)](store, name)

    with monkeypatch.context() as patch:
        patch.setattr(ClientStore, "find", find)
        assert anywhere.redeem(code).status_code == 200
    monkeypatch.setattr(GrantStore, "find", find)
    assert anywhere.userinfo(tokens["access_token"]).status_code == 200
    assert refused == [ClientStore, GrantStore]


def test_two_first_logins_at_once_give_one_name(anywhere: SignIn) -> None:
    """Two tabs, one person, one client: one pseudonym, whoever comes first."""
    pages = []
    for _ in range(4):
        pages.append(anywhere.open_page())
        anywhere.approve(pages[-1])

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(anywhere.proceed, pages))

    codes = [query_of(answer.headers["location"])["code"] for answer in answers]
    subjects = {
        anywhere.opened(anywhere.redeem(code).json()["id_token"]).claims["sub"]
        for code in codes
    }
    assert len(subjects) == 1


def test_the_logs_hold_no_secret_at_any_level(
    sign_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even when somebody turns every logger up to find a fault. ASVS 16.2.5."""
    caplog.set_level(logging.DEBUG)
    # The test's own HTTP client logs the addresses it calls.
    for name in ("httpx2", "httpcore2", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    page = sign_in.open_page(
        scope=OFFLINE, code_challenge=CHALLENGE, code_challenge_method="S256"
    )
    ticket, cookie = sign_in.ticket_on(page), next(iter(sign_in.browser.cookies.values()))
    sign_in.approve(page)
    code = query_of(sign_in.proceed(page).headers["location"])["code"]
    first = sign_in.redeem(code, code_verifier=VERIFIER).json()
    second = sign_in.refresh(first["refresh_token"]).json()
    sign_in.redeem(code, code_verifier=VERIFIER)
    sign_in.redeem("x", client_secret="a-guessed-secret")
    sign_in.userinfo(second["access_token"])
    sign_in.door.erase_account(ANNA)

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
