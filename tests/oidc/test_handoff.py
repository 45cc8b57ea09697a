"""The handoff: two halves of a login, in different hands."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest

from oidc.errors import LoginGone
from oidc.login.browser import BrowserLogins
from oidc.login.views import CodeIssued
from oidc.storage.database import Database, Stores
from oidc.storage.stores.logins import Login
from oidc.types import (
    BrowserSecret,
    Claimant,
    Lifetimes,
    LoginId,
    LoginLimits,
    LoginState,
    Mismatched,
    NextStep,
    Ticket,
)
from tests.support.at_once import at_once
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, PHONE, SignIn, response_of

THIRD = Claimant("a third phone")
OTHER = Claimant("another phone")


def test_only_the_handoff_learns_a_linked_users_account(sign_in: SignIn) -> None:
    """Specification §4.6: a palm is compared one-to-one, so the matcher must know with whom."""
    page = sign_in.open_page(user_id=sign_in.subject(sign_in.tokens()))

    assert sign_in.handoff.claim(sign_in.ticket_on(page), PHONE).account == ANNA
    assert str(ANNA) not in sign_in.browser.get(page).text


@pytest.mark.parametrize("name", ["", "unknown", "f" * 32, "\x00", "\ud800", "x" * 5000])
def test_an_unknown_ticket_or_login_is_gone_and_tells_nothing(
    sign_in: SignIn, name: str
) -> None:
    """Whatever is sent, also what no database can hold: the answer is the same."""
    for ask in (
        lambda: sign_in.handoff.claim(Ticket(name), PHONE),
        lambda: sign_in.handoff.get_state(LoginId(name), PHONE),
    ):
        with pytest.raises(LoginGone) as caught:
            ask()
        assert caught.value.hint is None


def test_another_phone_learns_nothing_on_any_call(sign_in: SignIn) -> None:
    """A login identifier is no secret; the key that claimed is."""
    login_id, handoff = sign_in.recognise(sign_in.open_page()), sign_in.handoff

    for act in (handoff.get_state, handoff.approve, handoff.decline, handoff.report):
        with pytest.raises(LoginGone) as caught:
            act(login_id, OTHER)
        assert caught.value.hint is None
    with pytest.raises(LoginGone):
        handoff.record_outcome(login_id, OTHER, Mismatched())
    assert handoff.get_state(login_id, PHONE).state is LoginState.VERIFIED


def test_a_forgotten_account_loses_its_open_logins(sign_in: SignIn) -> None:
    """Also the one that waits for this very account; others go on."""
    waiting = sign_in.open_page(user_id=sign_in.subject(sign_in.tokens()))
    waiting_id = sign_in.handoff.claim(sign_in.ticket_on(waiting), PHONE).login_id
    second, third = sign_in.new_browser(), sign_in.new_browser()
    recognised = sign_in.recognise(sign_in.open_page(second), ANNA, OTHER, second)
    outsider = sign_in.recognise(sign_in.open_page(third), BERT, THIRD, third)

    sign_in.handoff.delete_account(ANNA)

    assert sign_in.handoff.get_state(waiting_id, PHONE).hint is NextStep.CANCELLED
    assert sign_in.handoff.get_state(recognised, OTHER).hint is NextStep.CANCELLED
    assert sign_in.handoff.get_state(outsider, THIRD).hint is NextStep.WAIT_APPROVE


class RivalDatabase(Database):
    """Lets a rival move a login between our reading it and our first move.

    The rival's move is a real one: a mismatch that it counts in its own transaction's place.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine)
        self._rival_waits = True

    @contextmanager
    def write(self) -> Iterator[Stores]:
        """Open a transaction whose first move comes too late."""
        with super().write() as stores:
            honest = stores.logins.move

            def move(before: Login, after: Login, now: datetime) -> bool:
                if self._rival_waits:
                    self._rival_waits = False
                    theirs = replace(before, seq=before.seq + 1, attempts=before.attempts + 1)
                    assert honest(before, theirs, now)
                return honest(before, after, now)

            stores.logins.move = move  # type: ignore[method-assign]
            yield stores


def test_of_logins_that_one_phone_claims_at_once_one_at_most_stays_open(
    anywhere: SignIn,
) -> None:
    """Whichever comes last sees the other one."""
    for _ in range(10):
        browsers = [anywhere.new_browser() for _ in range(2)]
        tickets = [anywhere.ticket_on(anywhere.open_page(each), each) for each in browsers]
        claims = [partial(anywhere.handoff.claim, ticket, PHONE) for ticket in tickets]
        ids = [claimed.login_id for claimed in at_once(*claims)]
        hints = [anywhere.handoff.get_state(each, PHONE).hint for each in ids]
        assert hints.count(NextStep.WAIT_PALM) <= 1


def test_palms_shown_at_once_are_counted_one_by_one(anywhere: SignIn) -> None:
    """Each waits for the other: the login is locked, and none is lost."""
    login_id = anywhere.handoff.claim(anywhere.ticket_on(anywhere.open_page()), PHONE).login_id

    def miss() -> int:
        return anywhere.handoff.record_outcome(login_id, PHONE, Mismatched()).attempts_left

    assert sorted(at_once(miss, miss)) == [1, 2]


def test_a_move_lost_to_another_process_is_read_again(
    sign_in: SignIn, clock: FakeClock
) -> None:
    """The conditional UPDATE has the last word, also against a reader that saw more."""
    page = sign_in.open_page()
    sign_in.approve(page)
    login_id = LoginId(page.rpartition("/")[2])
    secret = BrowserSecret(sign_in.browser.cookies[f"__Host-thenar-login-{login_id}"])
    late = BrowserLogins(RivalDatabase(sign_in.database), LoginLimits(), Lifetimes(), clock)

    issued = late.collect(login_id, secret)
    assert isinstance(issued, CodeIssued)
    assert response_of(sign_in.proceed(page))["code"] == issued.code


def test_a_row_without_an_account_gives_no_grant(sign_in: SignIn) -> None:
    """Fail closed, even with an impossible row written into the database."""
    page = sign_in.open_page()
    with sign_in.database.engine.begin() as connection:
        change = "UPDATE logins SET state = 'approved', claimant = 'p' WHERE login_id = ?"
        connection.exec_driver_sql(change, (page.rpartition("/")[2],))

    answer = sign_in.proceed(page)

    assert (answer.status_code, "location" in answer.headers) == (403, False)
