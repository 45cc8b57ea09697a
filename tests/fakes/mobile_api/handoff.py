"""The provider's door without a provider: logins in a dictionary, the same rules and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from oidc.errors import AlreadyClaimed, LinkedClientGone, LoginGone, TicketStale, WrongState
from oidc.types import (
    OPEN_STATES,
    AccountId,
    Authenticated,
    BrowserDescription,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    LinkedClient,
    LinkedClientHandle,
    LoginId,
    LoginState,
    Network,
    NextStep,
    Outcome,
    Ticket,
)
from tests.fakes.clock import FakeClock

ATTEMPTS = 3
LIFETIME = timedelta(minutes=3)
HINTS = {
    LoginState.PENDING: NextStep.WAIT_SCAN,
    LoginState.SCANNED: NextStep.WAIT_PALM,
    LoginState.VERIFIED: NextStep.WAIT_APPROVE,
    LoginState.APPROVED: NextStep.GO,
    LoginState.DECLINED: NextStep.DECLINED,
    LoginState.EXPIRED: NextStep.EXPIRED,
    LoginState.LOCKED: NextStep.LOCKED,
    LoginState.CANCELLED: NextStep.CANCELLED,
    LoginState.SUPERSEDED: NextStep.SUPERSEDED,
    LoginState.REPORTED: NextStep.REPORTED,
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
    asked_at: datetime | None = None
    address: str | None = None
    code: str | None = None


class FakeDoor:
    """Implements the door; ``open`` plays the browser.

    Attributes:
        forgotten: accounts the provider was told to forget, in order.
        is_down: whether the provider cannot be told anything now.
        overtake: what happens, once, just before the next palm is settled.
        asks_code: whether the next logins ask for a confirmation code.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.logins: dict[LoginId, FakeLogin] = {}
        self.forgotten: list[AccountId] = []
        self.is_down = False
        self.overtake: Callable[[], object] | None = None
        self.asks_code = False

    def open(self, named: AccountId | None = None) -> Ticket:
        """Begin a login; return the ticket of its QR code."""
        number = len(self.logins)
        login_id = LoginId(f"login-{number}")
        now = self.clock()
        login = FakeLogin(login_id, named, now + LIFETIME, asked_at=now)
        login.code = "0481" if self.asks_code else None
        self.logins[login_id] = login
        return Ticket(f"ticket-{number}")

    def outcome(self, login_id: str) -> Outcome | None:
        """Return what the door was told last."""
        return self.logins[LoginId(login_id)].outcome

    def look_at(self, login_id: str) -> str:
        """Return where a login stands, as its browser would see it."""
        return self.logins[LoginId(login_id)].state.value

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Take the ticket of a QR code."""
        if ticket.startswith("stale"):
            raise TicketStale
        login = self.logins.get(LoginId(ticket.replace("ticket", "login")))
        if login is None:
            raise LoginGone
        if login.claimant not in (None, claimant):
            raise AlreadyClaimed
        self._expire(login)
        if login.state not in (LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED):
            raise LoginGone(HINTS[login.state])
        login.claimant, login.address = claimant, address
        if login.state is LoginState.PENDING:
            login.state = LoginState.SCANNED
        return ClaimedLogin(
            login.login_id,
            "Bookshop",
            "books.example",
            ("openid",),
            login.expires_at,
            login.named,
            hint=HINTS[login.state],
            page_url=f"https://id.example.test/oauth2/oauth/consent/{login.login_id}",
            origin=BrowserDescription("Firefox", "Windows", "203.0.113.0/24"),
            network=Network.SAME,
            asked_at=login.asked_at or self.clock(),
            may_ask_code=login.code is not None,
        )

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return where a claimed login stands."""
        return self._state(self._claimed(login_id, claimant))

    def record_outcome(
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

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Take notice that somebody else began it."""
        login = self._claimed(login_id, claimant)
        if login.state not in (*OPEN_STATES, LoginState.REPORTED):
            raise LoginGone(HINTS[login.state])
        login.state = LoginState.REPORTED
        return self._state(login)

    def close(self) -> None:
        """Give back nothing: the fake holds nothing open."""

    def erase_account(self, account: AccountId) -> None:
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
            hint = NextStep.PALM_RETRY
        code = login.code if login.state is LoginState.APPROVED else None
        if code is not None:
            hint = NextStep.WAIT_CODE
        left = ATTEMPTS - login.attempts
        return ClaimedLoginState(
            login.state, hint, left, login.expires_at, login.named, confirmation_code=code
        )


class FakeConnections:
    """The provider's second door: who knows whom, in a dictionary."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.known: dict[AccountId, dict[LinkedClientHandle, LinkedClient]] = {}

    def know(self, account: AccountId, name: str) -> LinkedClientHandle:
        """Let a client know an account."""
        handle = LinkedClientHandle(f"handle-of-{name}")
        host = f"{name}.example"
        connection = LinkedClient(handle, name, host, self._clock())
        self.known.setdefault(account, {})[handle] = connection
        return handle

    def of(self, account: AccountId) -> list[LinkedClient]:
        """Return who knows the account."""
        return list(self.known.get(account, {}).values())

    def withdraw(self, account: AccountId, handle: LinkedClientHandle) -> None:
        """End one connection."""
        if self.known.get(account, {}).pop(handle, None) is None:
            raise LinkedClientGone

    def close(self) -> None:
        """Give back nothing: the fake holds nothing open."""
