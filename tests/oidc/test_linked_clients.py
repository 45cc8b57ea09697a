"""The second door: who knows an account, and how it takes itself back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from oidc.app import open_handoff
from oidc.errors import LinkedClientGone, OidcError
from oidc.linked_clients import LinkedClients
from oidc.types import AuthorizationRequest, LinkedClientHandle, NextStep
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, PHONE, SignIn, query_of

OFFLINE = "openid offline_access"


@pytest.fixture
def connections(anywhere: SignIn) -> Iterator[LinkedClients]:
    """Give them, as another process opens it."""
    opened = open_handoff(anywhere.settings, anywhere.clock)
    yield opened.linked_clients
    opened.close()


def subject_in(sign_in: SignIn, tokens: dict[str, str]) -> str:
    """Return who the tokens are about."""
    return str(sign_in.opened(tokens["id_token"]).claims["sub"])


def test_a_person_sees_who_knows_them_the_latest_first(
    anywhere: SignIn, connections: LinkedClients, clock: FakeClock
) -> None:
    """Names and hosts of clients, since when; and not a subject in sight."""
    bank = anywhere.register("Bank", "https://bank.example/cb")
    subject = subject_in(anywhere, anywhere.tokens())
    clock.advance(60)
    page = anywhere.authorize(anywhere.request(bank)).headers["location"]
    anywhere.approve(page)
    anywhere.proceed(page)

    found = connections.of(ANNA)

    assert [(each.client_name, each.client_host) for each in found] == [
        ("Bank", "bank.example"),
        ("Corner Bookshop", "shop.example"),
    ]
    assert [each.since for each in found] == sorted(
        (each.since for each in found), reverse=True
    )
    assert subject not in repr(found)
    assert connections.of(BERT) == []


def test_a_withdrawn_connection_is_dead_everywhere(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """Userinfo, introspection, refresh and ``user_id``, in a process that did not do it."""
    tokens = anywhere.tokens(scope=OFFLINE)
    subject, (known,) = subject_in(anywhere, tokens), connections.of(ANNA)

    connections.withdraw(ANNA, known.handle)

    introspected = anywhere.new_browser().post(
        f"{anywhere.settings.base_url}/introspect",
        data={"token": tokens["access_token"]},
        headers=anywhere.basic(),
    )
    asked = anywhere.authorize(anywhere.request(user_id=subject))
    assert anywhere.userinfo(tokens["access_token"]).status_code == 401
    assert introspected.json() == {"active": False}
    assert anywhere.refresh(tokens["refresh_token"]).status_code == 400
    assert query_of(asked.headers["location"])["error"] == "invalid_request"
    assert connections.of(ANNA) == []


def test_a_new_login_makes_a_new_pseudonym_and_a_new_handle(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """The client cannot find out that it is the same person."""
    before, (known,) = subject_in(anywhere, anywhere.tokens()), connections.of(ANNA)
    connections.withdraw(ANNA, known.handle)
    after, (again,) = subject_in(anywhere, anywhere.tokens()), connections.of(ANNA)

    assert before != after
    assert known.handle != again.handle
    assert re.fullmatch("[0-9a-f]{32}", known.handle), "or a command line reads an option"


@pytest.mark.parametrize("handle", ["", "x", "\ud800", "A" * 22])
def test_only_its_owner_finds_anything_by_a_handle(
    anywhere: SignIn, connections: LinkedClients, handle: str
) -> None:
    """Guessed, malformed, another person's, or used before: one answer."""
    anywhere.tokens()
    (known,) = connections.of(ANNA)

    with pytest.raises(LinkedClientGone):
        connections.withdraw(ANNA, LinkedClientHandle(handle))
    with pytest.raises(LinkedClientGone):
        connections.withdraw(BERT, known.handle)
    connections.withdraw(ANNA, known.handle)
    with pytest.raises(LinkedClientGone):
        connections.withdraw(ANNA, known.handle)


def test_open_logins_for_it_are_cancelled_and_others_go_on(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """A login that was approved before the withdrawal must not finish after it."""
    anywhere.tokens()
    bank = anywhere.register("Bank", "https://bank.example/cb")
    (known,) = connections.of(ANNA)
    other = anywhere.new_browser()
    here = anywhere.open_page()
    anywhere.approve(here)
    there = anywhere.authorize(anywhere.request(bank), other).headers["location"]
    login_id = anywhere.recognise(there, browser=other)
    anywhere.door.approve(login_id, PHONE)

    connections.withdraw(ANNA, known.handle)

    assert query_of(anywhere.proceed(here).headers["location"])["error"] == "access_denied"
    assert "code" in query_of(anywhere.proceed(there, other).headers["location"])


def test_what_only_a_removed_client_knew_is_not_shown(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """Nobody can use it any more; it ends with the account."""
    anywhere.tokens()
    with anywhere.database.write() as stores:
        stores.clients.remove(anywhere.shop.client.client_id)

    assert connections.of(ANNA) == []


@pytest.mark.parametrize("round_", range(4))
def test_whoever_collects_while_it_is_withdrawn_gets_nothing_that_lives(
    anywhere: SignIn, connections: LinkedClients, round_: int
) -> None:
    """Either order, no deadlock: the code is dead, or the login was cancelled."""
    anywhere.tokens()
    (known,) = connections.of(ANNA)
    page = anywhere.open_page(scope=OFFLINE)
    anywhere.approve(page)
    start = Barrier(2)

    def collect() -> str:
        start.wait()
        return str(anywhere.proceed(page).headers.get("location", ""))

    def withdraw() -> None:
        start.wait()
        connections.withdraw(ANNA, known.handle)

    with ThreadPoolExecutor(2) as pool:
        collected, withdrawn = pool.submit(collect), pool.submit(withdraw)
        withdrawn.result(30)
        told = query_of(collected.result(30))

    if "code" in told:
        assert anywhere.redeem(told["code"]).status_code == 400
    assert connections.of(ANNA) == []


def test_a_linked_users_login_does_not_outlive_the_link(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """Opened and withdrawn at once: refused before it begins, or cancelled."""
    subject, (known,) = subject_in(anywhere, anywhere.tokens()), connections.of(ANNA)
    start = Barrier(2)

    def create_login() -> str:
        start.wait()
        answer = anywhere.authorize(anywhere.request(user_id=subject))
        return str(answer.headers["location"])

    def withdraw() -> None:
        start.wait()
        connections.withdraw(ANNA, known.handle)

    with ThreadPoolExecutor(2) as pool:
        opened, withdrawn = pool.submit(create_login), pool.submit(withdraw)
        withdrawn.result(30)
        location = opened.result(30)

    if "/consent/" in location:
        state = anywhere.browser.get(f"{location}/state").json()
        assert state["hint"] == NextStep.CANCELLED
    else:
        assert query_of(location)["error"] == "invalid_request"


def test_a_deletion_while_a_first_login_is_collected_leaves_nothing(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """The pseudonym that the collection makes at that moment is found by the second look."""
    page = anywhere.open_page(scope=OFFLINE)
    anywhere.approve(page)
    start = Barrier(2)

    def run(act: Callable[[], object]) -> object:
        start.wait()
        try:
            return act()
        except OidcError as fault:
            return fault

    with ThreadPoolExecutor(2) as pool:
        collected = pool.submit(run, lambda: anywhere.proceed(page))
        forgotten = pool.submit(run, lambda: anywhere.door.erase_account(ANNA))
        forgotten.result(30)
        collected.result(30)

    assert connections.of(ANNA) == []


def test_the_request_of_a_login_does_not_name_the_linked_user(anywhere: SignIn) -> None:
    """The phone's side reads the logins: an account and a subject must not meet there."""
    subject = subject_in(anywhere, anywhere.tokens())
    anywhere.open_page(user_id=subject)
    with anywhere.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT request FROM logins").all()

    assert subject not in str(rows)
    assert "user_id" in AuthorizationRequest.__slots__
