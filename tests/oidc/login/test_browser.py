"""The browser's half of a login: only the browser that began sees, cancels and collects."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from oidc.errors import AuthorizationRefused, LoginGone, OidcError
from oidc.login.browser import BrowserLogins
from oidc.login.views import CodeIssued, CreatedLogin
from oidc.protocol.identifiers import digest_of
from oidc.storage.stores.logins.logins import Login
from oidc.types import (
    Authenticated,
    AuthorizationRequest,
    BrowserSecret,
    Claimant,
    ClientId,
    Level,
    Lifetimes,
    LoginId,
    LoginLimits,
    LoginState,
    NextStep,
    SectorIdentifier,
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


def test_of_concurrent_collections_one_gets_the_code(
    opened: CreatedLogin, logins: BrowserLogins, sign_in: SignIn
) -> None:
    """A double click must not mint two codes."""
    approve(sign_in, logins, opened)

    def collect(_: int) -> str:
        try:
            return type(logins.collect(*_half(opened))).__name__
        except OidcError as fault:
            return fault.code

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(collect, range(8)))

    assert answers == ["CodeIssued"] + ["login_gone"] * 7


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


def test_a_row_that_names_nobody_gives_no_grant(
    logins: BrowserLogins, sign_in: SignIn, clock: FakeClock
) -> None:
    """Fail closed, even if somebody wrote an impossible row into the database."""
    opened = CreatedLogin(LoginId("0" * 32), BrowserSecret("b"))
    client = sign_in.shop.client
    with sign_in.database.write() as stores:
        stores.logins.add(
            Login(
                login_id=opened.login_id,
                browser_digest=digest_of("b"),
                ticket_anchor=digest_of("t"),
                request=AuthorizationRequest(
                    ClientId(client.client_id),
                    client.name,
                    SectorIdentifier(client.sector),
                    client.redirect_uris[0],
                    ("openid",),
                ),
                state=LoginState.APPROVED,
                seq=3,
                attempts=0,
                expires_at=clock() + timedelta(seconds=30),
                opened_at=clock(),
                asked_at=clock(),
                claimant=Claimant("p"),
            )
        )

    with pytest.raises(LoginGone):
        logins.collect(*_half(opened))


def _half(opened: CreatedLogin) -> tuple[LoginId, BrowserSecret]:
    return opened.login_id, opened.browser_secret
