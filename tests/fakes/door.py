"""The provider's door without a provider: logins in a dictionary, the same rules and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from oidc.errors import AlreadyClaimed, LoginGone, WrongState
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    Hint,
    LoginId,
    LoginState,
    Outcome,
    Ticket,
)
from tests.fakes.clock import FakeClock

ATTEMPTS = 3
LIFETIME = timedelta(minutes=3)
HINTS = {
    LoginState.PENDING: Hint.WAIT_SCAN,
    LoginState.SCANNED: Hint.WAIT_PALM,
    LoginState.VERIFIED: Hint.WAIT_APPROVE,
    LoginState.APPROVED: Hint.GO,
    LoginState.DECLINED: Hint.DECLINED,
    LoginState.EXPIRED: Hint.EXPIRED,
    LoginState.LOCKED: Hint.LOCKED,
    LoginState.CANCELLED: Hint.CANCELLED,
}


@dataclass
class FakeLogin:
    """A login as the door knows it."""

    login_id: LoginId
    named: AccountId | None
    expires_at: datetime
    state: LoginState = LoginState.PENDING
    claimant: Claimant | None = None
    attempts: int = 0
    outcome: Outcome | None = None


class FakeDoor:
    """Implements the door; ``open`` plays the browser.

    Attributes:
        forgotten: accounts the provider was told to forget, in order.
        is_down: whether the provider cannot be told anything now.
        overtake: what happens, once, just before the next palm is settled.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.logins: dict[LoginId, FakeLogin] = {}
        self.forgotten: list[AccountId] = []
        self.is_down = False
        self.overtake: Callable[[], object] | None = None

    def open(self, named: AccountId | None = None) -> Ticket:
        """Begin a login; return the ticket of its QR code."""
        number = len(self.logins)
        login_id = LoginId(f"login-{number}")
        self.logins[login_id] = FakeLogin(login_id, named, self.clock() + LIFETIME)
        return Ticket(f"ticket-{number}")

    def outcome(self, login_id: str) -> Outcome | None:
        """Return what the door was told last."""
        return self.logins[LoginId(login_id)].outcome

    def look_at(self, login_id: str) -> str:
        """Return where a login stands, as its browser would see it."""
        return self.logins[LoginId(login_id)].state.value

    def claim(self, ticket: Ticket, claimant: Claimant) -> ClaimedLogin:
        """Take the ticket of a QR code."""
        login = self.logins.get(LoginId(ticket.replace("ticket", "login")))
        if login is None:
            raise LoginGone
        if login.claimant not in (None, claimant):
            raise AlreadyClaimed
        self._expire(login)
        if login.state not in (LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED):
            raise LoginGone(HINTS[login.state])
        login.claimant = claimant
        if login.state is LoginState.PENDING:
            login.state = LoginState.SCANNED
        return ClaimedLogin(
            login.login_id,
            "Bookshop",
            "books.example",
            ("openid",),
            login.expires_at,
            login.named,
        )

    def look(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return where a claimed login stands."""
        return self._state(self._claimed(login_id, claimant))

    def settle(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Take what a palm gave."""
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            overtake()
        login = self._in(login_id, claimant, LoginState.SCANNED)
        login.outcome = outcome
        if isinstance(outcome, Authenticated) and login.named in (None, outcome.account):
            login.state = LoginState.VERIFIED
            return self._state(login)
        login.attempts += 1
        if login.attempts == ATTEMPTS:
            login.state = LoginState.LOCKED
        return self._state(login)

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Take a yes."""
        login = self._in(login_id, claimant, LoginState.VERIFIED, LoginState.APPROVED)
        login.state = LoginState.APPROVED
        return self._state(login)

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Take a no."""
        login = self._in(
            login_id, claimant, LoginState.SCANNED, LoginState.VERIFIED, LoginState.DECLINED
        )
        login.state = LoginState.DECLINED
        return self._state(login)

    def close(self) -> None:
        """Give back nothing: the fake holds nothing open."""

    def forget(self, account: AccountId) -> None:
        """Forget a deleted account: its logins are over."""
        if self.is_down:
            raise ConnectionError
        self.forgotten.append(account)
        for login in self.logins.values():
            if isinstance(login.outcome, Authenticated) and login.outcome.account == account:
                login.state = LoginState.CANCELLED

    def _claimed(self, login_id: LoginId, claimant: Claimant) -> FakeLogin:
        login = self.logins.get(login_id)
        if login is None or login.claimant != claimant:
            raise LoginGone
        self._expire(login)
        return login

    def _in(self, login_id: LoginId, claimant: Claimant, *states: LoginState) -> FakeLogin:
        login = self._claimed(login_id, claimant)
        if login.state in states:
            return login
        if login.state in (LoginState.SCANNED, LoginState.VERIFIED, LoginState.APPROVED):
            raise WrongState(HINTS[login.state])
        raise LoginGone(HINTS[login.state])

    def _expire(self, login: FakeLogin) -> None:
        waiting = (LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED)
        if login.state in waiting and self.clock() >= login.expires_at:
            login.state = LoginState.EXPIRED

    def _state(self, login: FakeLogin) -> ClaimedLoginState:
        hint = HINTS[login.state]
        if login.state is LoginState.SCANNED and login.attempts:
            hint = Hint.PALM_RETRY
        left = ATTEMPTS - login.attempts
        return ClaimedLoginState(login.state, hint, left, login.expires_at, login.named)
