"""The linked clients: who knows an account, and how it takes itself back."""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from oidc.app import open_handoff
from oidc.client import AuthorizationRequest
from oidc.errors import LinkedClientGone, OidcError
from oidc.linked_clients import LinkedClients
from oidc.types import LinkedClientHandle, NextStep
from tests.support.at_once import at_once
from tests.support.clock import FakeClock
from tests.support.service.sign_in import (
    ANNA,
    BERT,
    SignIn,
    error_of,
    is_asked,
    onward,
    query_of,
    response_of,
)

OFFLINE = "openid offline_access"


@pytest.fixture
def connections(anywhere: SignIn) -> Iterator[LinkedClients]:
    """Give them, as another process opens it."""
    opened = open_handoff(anywhere.settings, anywhere.clock)
    yield opened.linked_clients
    opened.close()


def test_a_person_sees_who_knows_them_the_latest_first(
    anywhere: SignIn, connections: LinkedClients, clock: FakeClock
) -> None:
    """Names and hosts of clients, since when; and not a subject in sight."""
    subject = anywhere.subject(anywhere.tokens())
    clock.advance(86_400)
    anywhere.another("Bank", backchannel_logout_uri="https://other.example/out").tokens()

    found = connections.of(ANNA)

    assert [(each.client_name, each.client_host, each.signs_out) for each in found] == [
        ("Bank", "other.example", True),
        ("Corner Bookshop", "shop.example", False),
    ]
    since = [each.since for each in found]
    assert since == sorted(since, reverse=True)
    assert subject not in repr(found)
    assert connections.of(BERT) == []


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_connection_that_ends_is_dead_everywhere(
    anywhere: SignIn, connections: LinkedClients, *, is_deleted: bool
) -> None:
    """By withdrawal or with the account, in a process that did not do it; others go on.

    Userinfo, introspection, refresh, codes, ``user_id``; afterwards it is a new person.
    """
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code()
    subject, (known,) = anywhere.subject(tokens), connections.of(ANNA)
    others = anywhere.tokens(BERT)

    if is_deleted:
        anywhere.handoff.delete_account(ANNA)
    else:
        connections.disconnect(ANNA, known.handle)

    assert anywhere.userinfo(tokens["access_token"]).status_code == 401
    for kind in ("access_token", "refresh_token"):
        introspected = anywhere.call("introspect", {"token": tokens[kind]}).json()
        assert introspected == {"active": False}
    for answer in (anywhere.refresh(tokens["refresh_token"]), anywhere.redeem(code)):
        assert error_of(answer) == (400, "invalid_grant")
    assert response_of(anywhere.ask(user_id=subject))["error"] == "invalid_request"
    assert connections.of(ANNA) == []
    assert anywhere.userinfo(others["access_token"]).status_code == 200
    again = anywhere.subject(anywhere.tokens())
    assert again != subject, "the client cannot find out that it is the same person"
    (new,) = connections.of(ANNA)
    assert new.handle != known.handle
    assert re.fullmatch("[0-9a-f]{32}", known.handle), "or a command line reads an option"


@pytest.mark.parametrize("handle", ["", "x", "\ud800", "A" * 22])
def test_only_its_owner_finds_anything_by_a_handle(
    anywhere: SignIn, connections: LinkedClients, handle: str
) -> None:
    """Guessed, malformed, another person's, or used before: one answer."""
    anywhere.tokens()
    (known,) = connections.of(ANNA)

    with pytest.raises(LinkedClientGone):
        connections.disconnect(ANNA, LinkedClientHandle(handle))
    with pytest.raises(LinkedClientGone):
        connections.disconnect(BERT, known.handle)
    connections.disconnect(ANNA, known.handle)
    with pytest.raises(LinkedClientGone):
        connections.disconnect(ANNA, known.handle)


def test_open_logins_for_it_are_cancelled_and_others_go_on(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """A login that was approved before the withdrawal must not finish after it."""
    anywhere.tokens()
    (known,) = connections.of(ANNA)
    bank, other = anywhere.another("Bank"), anywhere.new_browser()
    here = anywhere.open_page()
    anywhere.approve(here)
    there = bank.open_page(other)
    anywhere.say_yes(there, anywhere.recognise(there, browser=other))

    connections.disconnect(ANNA, known.handle)

    assert response_of(anywhere.proceed(here))["error"] == "access_denied"
    assert "code" in response_of(anywhere.proceed(there, other))


@pytest.mark.parametrize("round_", range(4))
def test_tokens_collected_during_a_withdrawal_are_revoked(
    anywhere: SignIn, connections: LinkedClients, round_: int
) -> None:
    """Either order, no deadlock: the code is dead, or the login was cancelled."""
    anywhere.tokens()
    (known,) = connections.of(ANNA)
    page = anywhere.open_page(scope=OFFLINE)
    anywhere.approve(page)

    collected, _ = at_once(
        lambda: anywhere.proceed(page), lambda: connections.disconnect(ANNA, known.handle)
    )

    said = query_of(onward(collected))
    assert "code" not in said or anywhere.redeem(said["code"]).status_code == 400
    assert connections.of(ANNA) == []


def test_a_linked_users_login_does_not_outlive_the_link(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """Opened and withdrawn at once: refused before it begins, or cancelled."""
    subject, (known,) = anywhere.subject(anywhere.tokens()), connections.of(ANNA)

    answer, _ = at_once(
        lambda: anywhere.ask(user_id=subject),
        lambda: connections.disconnect(ANNA, known.handle),
    )

    if is_asked(answer):
        state = anywhere.browser.get(f"{answer.headers['location']}/state").json()
        assert state["hint"] == NextStep.CANCELLED
    else:
        assert response_of(answer)["error"] == "invalid_request"


def test_a_deletion_while_a_first_login_is_collected_leaves_nothing(
    anywhere: SignIn, connections: LinkedClients
) -> None:
    """The pseudonym that the collection makes at that moment is found by the second look."""
    page = anywhere.open_page(scope=OFFLINE)
    anywhere.approve(page)

    def delete() -> None:
        with suppress(OidcError):
            anywhere.handoff.delete_account(ANNA)

    at_once(lambda: anywhere.proceed(page), delete)

    assert connections.of(ANNA) == []


def test_the_request_of_a_login_does_not_name_the_linked_user(anywhere: SignIn) -> None:
    """The phone's side reads the logins: an account and a subject must not meet there."""
    subject = anywhere.subject(anywhere.tokens())
    anywhere.open_page(user_id=subject)
    with anywhere.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT request FROM logins").all()

    assert subject not in str(rows)
    assert "user_id" in AuthorizationRequest.__slots__
