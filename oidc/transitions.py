"""The state machine of a login: pure functions from one login to the next.

::

    pending ──claim──► scanned ──palm──► verified ──approve──► approved ──collect──► completed
       │                │  ▲ │               │                     │
       │                │  └─┘ mismatch      └──decline──► declined│
       │                └──third mismatch──► locked                │
       └────────cancel (browser), deadline: every open state───────┴──► cancelled, expired

Each takes a login and returns what it becomes, or the same login if nothing changes, or raises.
``handoff`` makes the move by one conditional UPDATE. Accounts are erased from a login that
ends.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from oidc.errors import AlreadyClaimed, LoginGone, WrongState
from oidc.types import OPEN_STATES, Authenticated, Hint, LoginState

if TYPE_CHECKING:
    from oidc.storage.logins import Login
    from oidc.types import Claimant, Limits, Outcome

_HINTS: Final = {
    LoginState.PENDING: Hint.WAIT_SCAN,
    LoginState.SCANNED: Hint.WAIT_PALM,
    LoginState.VERIFIED: Hint.WAIT_APPROVE,
    LoginState.APPROVED: Hint.GO,
    LoginState.COMPLETED: Hint.GO,
    LoginState.DECLINED: Hint.DECLINED,
    LoginState.EXPIRED: Hint.EXPIRED,
    LoginState.LOCKED: Hint.LOCKED,
    LoginState.CANCELLED: Hint.CANCELLED,
}


def hint_of(login: Login) -> Hint:
    """Return what happens next."""
    if login.state is LoginState.SCANNED and login.attempts:
        return Hint.PALM_RETRY
    return _HINTS[login.state]


def at(login: Login, now: datetime) -> Login:
    """Return the login as it stands then: an open one whose deadline passed has expired."""
    if login.state in OPEN_STATES and login.expires_at <= now:
        return _ended(login, LoginState.EXPIRED, login.expires_at)
    return login


def claimed(login: Login, claimant: Claimant, now: datetime, limits: Limits) -> Login:
    """A phone takes the ticket. The same phone may come again: it may have been interrupted.

    Raises:
        AlreadyClaimed: another phone holds it.
        LoginGone: it has ended.
    """
    if login.claimant not in (None, claimant):
        raise AlreadyClaimed
    if login.state not in OPEN_STATES:
        raise LoginGone(hint_of(login))
    if login.state is not LoginState.PENDING:
        return login
    until = now + timedelta(seconds=limits.scanned_s)
    return _moved(replace(login, claimant=claimant), LoginState.SCANNED, until)


def settled(login: Login, outcome: Outcome, now: datetime, limits: Limits) -> Login:
    """A palm was compared. A linked user's login is only verified by that user's palm.

    Raises:
        WrongState: the palm was recognised before.
        LoginGone: it has ended.
    """
    _require(login, LoginState.SCANNED)
    if not isinstance(outcome, Authenticated) or _is_somebody_else(login, outcome):
        return _missed(login, now, limits)
    recognised = replace(
        login, account=outcome.account, auth_time=outcome.auth_time, amr=outcome.amr
    )
    return _moved(recognised, LoginState.VERIFIED, now + timedelta(seconds=limits.verified_s))


def approved(login: Login, now: datetime, limits: Limits) -> Login:
    """The person says yes. Saying it twice is once.

    Raises:
        WrongState: no palm was recognised yet.
        LoginGone: it has ended otherwise.
    """
    if login.state in (LoginState.APPROVED, LoginState.COMPLETED):
        return login
    _require(login, LoginState.VERIFIED)
    return _moved(login, LoginState.APPROVED, now + timedelta(seconds=limits.approved_s))


def declined(login: Login, now: datetime) -> Login:
    """The person says no, before or after the palm. Saying it twice is once.

    Raises:
        WrongState: the person approved before.
        LoginGone: it has ended otherwise.
    """
    if login.state is LoginState.DECLINED:
        return login
    _require(login, LoginState.SCANNED, LoginState.VERIFIED)
    return _ended(login, LoginState.DECLINED, now)


def cancelled(login: Login, now: datetime) -> Login:
    """The browser gives up. A login that has ended stays as it ended."""
    if login.state not in OPEN_STATES:
        return login
    return _ended(login, LoginState.CANCELLED, now)


def completed(login: Login, now: datetime) -> Login:
    """The browser collects an approved login."""
    return _ended(login, LoginState.COMPLETED, now)


def _require(login: Login, *states: LoginState) -> None:
    if login.state in states:
        return
    if login.state in OPEN_STATES:
        raise WrongState(hint_of(login))
    raise LoginGone(hint_of(login))


def _is_somebody_else(login: Login, outcome: Authenticated) -> bool:
    return login.expected_account not in (None, outcome.account)


def _missed(login: Login, now: datetime, limits: Limits) -> Login:
    missed = replace(login, attempts=login.attempts + 1)
    if missed.attempts >= limits.attempts:
        return _ended(missed, LoginState.LOCKED, now)
    return _moved(missed, LoginState.SCANNED, login.expires_at)


def _moved(login: Login, state: LoginState, expires_at: datetime) -> Login:
    return replace(login, state=state, seq=login.seq + 1, expires_at=expires_at)


def _ended(login: Login, state: LoginState, ended_at: datetime) -> Login:
    return replace(_moved(login, state, ended_at), account=None, expected_account=None)
