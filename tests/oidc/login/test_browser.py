"""The browser's half of a login: only the browser that began sees, cancels and collects."""

import pytest

from oidc.errors import AuthorizationRefused, LoginGone
from oidc.login.browser import BrowserLogins
from oidc.login.views import CodeIssued, CreatedLogin
from oidc.types import (
    Authenticated,
    AuthorizationRequest,
    BrowserSecret,
    Level,
    Lifetimes,
    LoginId,
    LoginLimits,
    NextStep,
    Ticket,
)
from tests.support.clock import FakeClock
from tests.support.databases.concurrent_writer import RivalDatabase
from tests.support.service.sign_in import ANNA, PHONE, SignIn


@pytest.fixture
def request_(sign_in: SignIn) -> AuthorizationRequest:
    """Give a request that passed the checks."""
    client = sign_in.shop.client
    return AuthorizationRequest(
        client.client_id,
        client.name,
        client.sector,
        client.redirect_uris[0],
        ("openid",),
        state="s",
    )


@pytest.fixture
def logins(sign_in: SignIn, clock: FakeClock) -> BrowserLogins:
    """Give the browser's half of logins."""
    return BrowserLogins(sign_in.database, LoginLimits(), Lifetimes(), clock)


@pytest.fixture
def opened(logins: BrowserLogins, request_: AuthorizationRequest) -> CreatedLogin:
    """Give an open login."""
    return logins.create_login(request_)


def ticket_of(logins: BrowserLogins, opened: CreatedLogin) -> Ticket:
    """Read the first ticket of a page."""
    return logins.view(*_half(opened)).tickets.at(0)


def approve(sign_in: SignIn, logins: BrowserLogins, opened: CreatedLogin) -> None:
    """Let a phone approve it."""
    ticket = ticket_of(logins, opened)
    claimed = sign_in.handoff.claim(ticket, PHONE)
    sign_in.handoff.record_outcome(
        claimed.login_id, PHONE, Authenticated(ANNA, sign_in.clock(), Level.PALM_AND_PHONE)
    )
    sign_in.handoff.approve(claimed.login_id, PHONE)


def test_a_move_lost_to_another_process_is_no_code(
    opened: CreatedLogin, logins: BrowserLogins, sign_in: SignIn, clock: FakeClock
) -> None:
    """The conditional UPDATE has the last word, also against a reader that saw more."""
    approve(sign_in, logins, opened)

    late = BrowserLogins(RivalDatabase(sign_in.database), LoginLimits(), Lifetimes(), clock)

    with pytest.raises(LoginGone):
        late.collect(*_half(opened))
    assert isinstance(logins.collect(*_half(opened)), CodeIssued)


def test_a_cancel_that_lost_a_race_is_tried_again(
    opened: CreatedLogin, sign_in: SignIn, clock: FakeClock
) -> None:
    """The person pressed cancel once: whatever the phone did meanwhile, it ends."""
    late = BrowserLogins(RivalDatabase(sign_in.database), LoginLimits(), Lifetimes(), clock)

    assert late.cancel(*_half(opened)).hint is NextStep.CANCELLED


def test_a_hinted_person_who_was_just_withdrawn_is_not_waited_for(
    logins: BrowserLogins, request_: AuthorizationRequest
) -> None:
    """The hint was read in an earlier transaction: it is judged again with the login."""
    with pytest.raises(AuthorizationRefused) as caught:
        logins.create_login(request_, hinted=ANNA)

    assert caught.value.error == "login_required"


def test_a_row_without_an_account_gives_no_grant(
    opened: CreatedLogin, logins: BrowserLogins, sign_in: SignIn
) -> None:
    """Fail closed, even with an impossible row written into the database."""
    with sign_in.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE logins SET state = 'approved', claimant = 'p'")

    with pytest.raises(LoginGone):
        logins.collect(*_half(opened))


def _half(opened: CreatedLogin) -> tuple[LoginId, BrowserSecret]:
    return opened.login_id, opened.browser_secret
