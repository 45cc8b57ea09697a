"""The state machine of a login: pure functions from one login to the next.

=========  ==========================================  ========================
from       by                                          to
=========  ==========================================  ========================
pending    a phone's claim                             scanned
pending    a newer login of this browser               superseded
scanned    a palm                                      verified
scanned    another palm, the third one                 scanned, locked
scanned    a palm on a device that is not trusted      scanned
scanned    the phone declines                          declined
scanned    a newer login of the browser or the phone   superseded
verified   the phone declines, or approves             declined, approved
verified   a newer login of the browser or the phone   superseded
approved   a wrong code, the third one                 approved, locked
approved   the browser collects                        completed
approved   another login of the same pushed request    superseded
claimed    the phone reports it, even completed        reported
open       the browser cancels, the deadline passes    cancelled, expired
=========  ==========================================  ========================

Each returns the next login or the same one, or raises ``WrongState``, ``LoginGone`` or
``AlreadyClaimed``; a conditional UPDATE stores it. An ended login keeps no account and no
confirmation code.
"""

import hmac
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from oidc.client import ConfirmCode
from oidc.errors import AlreadyClaimed, LoginGone, WrongState
from oidc.protocol import granted
from oidc.storage.stores.logins import Login
from oidc.types import (
    OPEN_STATES,
    Authenticated,
    Claimant,
    GrantId,
    Level,
    LoginLimits,
    LoginState,
    Network,
    NextStep,
    Outcome,
)

_HINTS: Final = {
    LoginState.PENDING: NextStep.WAIT_SCAN,
    LoginState.SCANNED: NextStep.WAIT_PALM,
    LoginState.VERIFIED: NextStep.WAIT_APPROVE,
    LoginState.APPROVED: NextStep.GO,
    LoginState.COMPLETED: NextStep.GO,
    LoginState.DECLINED: NextStep.DECLINED,
    LoginState.EXPIRED: NextStep.EXPIRED,
    LoginState.LOCKED: NextStep.LOCKED,
    LoginState.CANCELLED: NextStep.CANCELLED,
    LoginState.SUPERSEDED: NextStep.SUPERSEDED,
    LoginState.REPORTED: NextStep.REPORTED,
}

_NOT_APPROVED: Final = frozenset(OPEN_STATES - {LoginState.APPROVED})
"""An approved login may still finish."""

_PALM_MISSING: Final = (LoginState.SCANNED, LoginState.EXPIRED)


def next_step_of(login: Login) -> NextStep:
    """Return what happens next."""
    if login.state in _PALM_MISSING and _is_too_low(login):
        return NextStep.PHONE_NOT_TRUSTED
    if login.state is LoginState.SCANNED and login.attempts:
        return NextStep.PALM_RETRY
    if login.state is LoginState.APPROVED and login.confirmation_code is not None:
        return NextStep.CODE_RETRY if login.code_attempts else NextStep.WAIT_CODE
    # Codes are typed after the palm, so a wrong code locked it.
    if login.state is LoginState.LOCKED and login.code_attempts:
        return NextStep.CODE_LOCKED
    return _HINTS[login.state]


def may_be_at_station(login: Login) -> bool:
    """Return whether the browser says it is a station, and the client accepts those."""
    return login.station is not None and Level.PALM_AT_STATION in login.request.accepts


def is_at_station(login: Login, station: bytes) -> bool:
    """Return whether the login began in this station's browser, and may be answered there."""
    if login.station is None or not may_be_at_station(login):
        return False
    return hmac.compare_digest(login.station, station)


def may_ask_code(login: Login, *, is_known_browser: bool) -> bool:
    """Return whether the browser must type a code that the phone shows.

    On risk: in a browser new to this account, and where the network is unknown. Being in
    the phone's network is no excuse: carriers share theirs. RFC 10027.
    """
    match login.request.confirm_code:
        case ConfirmCode.ALWAYS:
            return True
        case ConfirmCode.NEVER:
            return False
        case ConfirmCode.ON_RISK:
            return login.network is Network.UNKNOWN or not is_known_browser


def is_familiar(login: Login, *, is_known_browser: bool) -> bool:
    """Return whether the person need not be asked once more after the palm matched.

    The request came from a browser in which this person signed in before, in the network of
    this phone, which the account trusts, and the client named no account. RFC 10027.
    """
    is_near = is_known_browser and login.network is Network.SAME
    is_own = login.level is Level.PALM_AND_PHONE and login.expected_account is None
    return is_near and is_own and login.state is LoginState.VERIFIED


def with_expiry(login: Login, now: datetime) -> Login:
    """Return the login as of ``now``, expired if its deadline passed."""
    if login.state in OPEN_STATES and login.expires_at <= now:
        return _ended(login, LoginState.EXPIRED, login.expires_at)
    return login


def claimed(
    login: Login,
    claimant: Claimant,
    now: datetime,
    limits: LoginLimits,
    network: Network = Network.UNKNOWN,
) -> Login:
    """Claim by a phone, which may claim again."""
    if login.claimant not in (None, claimant):
        raise AlreadyClaimed
    if login.state not in OPEN_STATES:
        raise LoginGone(next_step_of(login))
    if login.state is not LoginState.PENDING:
        return login
    until = now + timedelta(seconds=limits.scanned_s)
    taken = replace(login, claimant=claimant, network=network)
    return _moved(taken, LoginState.SCANNED, until)


def compared(
    login: Login, outcome: Outcome, now: datetime, limits: LoginLimits, code: str | None = None
) -> Login:
    """Verify by a palm, or count an attempt. ``code`` will have to be typed.

    A palm below the accepted levels signs no account in, and costs no attempt: the login waits
    for the same person's palm on a device that they trust by then.
    """
    _require(login, LoginState.SCANNED)
    if not isinstance(outcome, Authenticated) or _is_another_person(login, outcome):
        return _mismatched(login, now, limits)
    if granted(outcome.level, login.request.accepts) is None:
        return _too_low(login, outcome, now, limits)
    recognised = replace(
        login,
        account=outcome.account,
        auth_time=outcome.auth_time,
        level=outcome.level,
        confirmation_code=code,
    )
    return _moved(recognised, LoginState.VERIFIED, now + timedelta(seconds=limits.verified_s))


def approved(login: Login, now: datetime, limits: LoginLimits) -> Login:
    """Approve. Idempotent."""
    if login.state in (LoginState.APPROVED, LoginState.COMPLETED):
        return login
    _require(login, LoginState.VERIFIED)
    wait_s = limits.approved_s if login.confirmation_code is None else limits.code_s
    return _moved(login, LoginState.APPROVED, now + timedelta(seconds=wait_s))


def confirmed(login: Login, typed: str, now: datetime, limits: LoginLimits) -> Login:
    """Check the typed code, in constant time."""
    _require(login, LoginState.APPROVED)
    if login.confirmation_code is None:
        raise WrongState(next_step_of(login))
    expected, given = login.confirmation_code.encode(), typed.encode("utf-8", "replace")
    if hmac.compare_digest(expected, given):
        return _moved(replace(login, confirmation_code=None), login.state, login.expires_at)
    wrong = replace(login, code_attempts=login.code_attempts + 1)
    if wrong.code_attempts >= limits.code_tries:
        return _ended(wrong, LoginState.LOCKED, now)
    return _moved(wrong, LoginState.APPROVED, login.expires_at)


def declined(login: Login, now: datetime) -> Login:
    """Decline, before or after the palm. Idempotent."""
    if login.state is LoginState.DECLINED:
        return login
    _require(login, LoginState.SCANNED, LoginState.VERIFIED)
    return _ended(login, LoginState.DECLINED, now)


def reported(login: Login, now: datetime) -> Login:
    """End a login that another person began, even if completed. Idempotent."""
    if login.state is LoginState.REPORTED:
        return login
    if login.claimant is None or login.state not in (*OPEN_STATES, LoginState.COMPLETED):
        raise LoginGone(next_step_of(login))
    return _ended(login, LoginState.REPORTED, now)


def superseded(login: Login, now: datetime) -> Login:
    """Supersede, unless approved or ended."""
    if login.state not in _NOT_APPROVED:
        return login
    return _ended(login, LoginState.SUPERSEDED, now)


def outrun(login: Login, now: datetime) -> Login:
    """Supersede an approved login: another one of the same pushed request got its code."""
    return _ended(login, LoginState.SUPERSEDED, now)


def is_renewable(login: Login, now: datetime, limits: LoginLimits) -> bool:
    """Return whether a login expired unclaimed; apply ``with_expiry`` first."""
    end = login.asked_at + timedelta(seconds=limits.renewable_s)
    return login.state is LoginState.EXPIRED and login.claimant is None and now < end


def cancelled(login: Login, now: datetime) -> Login:
    """Cancel, unless ended."""
    if login.state not in OPEN_STATES:
        return login
    return _ended(login, LoginState.CANCELLED, now)


def completed(login: Login, now: datetime, grant_id: GrantId) -> Login:
    """Complete an approved login."""
    return _ended(replace(login, grant_id=grant_id), LoginState.COMPLETED, now)


def _require(login: Login, *states: LoginState) -> None:
    if login.state in states:
        return
    if login.state in OPEN_STATES:
        raise WrongState(next_step_of(login))
    raise LoginGone(next_step_of(login))


def _is_another_person(login: Login, outcome: Authenticated) -> bool:
    return login.expected_account not in (None, outcome.account)


def _is_too_low(login: Login) -> bool:
    return login.level is not None and granted(login.level, login.request.accepts) is None


def _too_low(login: Login, outcome: Authenticated, now: datetime, limits: LoginLimits) -> Login:
    """Wait for the same person: whose palm it was is learnt of one person only."""
    until = now + timedelta(seconds=limits.scanned_s)
    ends_at = login.expires_at if _is_too_low(login) else until
    known = replace(login, level=outcome.level, expected_account=outcome.account)
    return _moved(known, LoginState.SCANNED, ends_at)


def _mismatched(login: Login, now: datetime, limits: LoginLimits) -> Login:
    missed = replace(login, attempts=login.attempts + 1, level=None)
    if missed.attempts >= limits.attempts:
        return _ended(missed, LoginState.LOCKED, now)
    return _moved(missed, LoginState.SCANNED, login.expires_at)


def _moved(login: Login, state: LoginState, expires_at: datetime) -> Login:
    return replace(login, state=state, seq=login.seq + 1, expires_at=expires_at)


def _ended(login: Login, state: LoginState, ended_at: datetime) -> Login:
    return replace(
        _moved(login, state, ended_at),
        account=None,
        expected_account=None,
        confirmation_code=None,
    )
