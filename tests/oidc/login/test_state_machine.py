"""The state machine of a login, as pure functions."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from oidc.client import AuthorizationRequest
from oidc.errors import LoginGone, WrongState
from oidc.login import state_machine
from oidc.storage.stores.logins import Login
from oidc.types import (
    OPEN_STATES,
    Authenticated,
    ClientId,
    GrantId,
    Level,
    LoginId,
    LoginLimits,
    LoginState,
    Network,
    NextStep,
    SectorIdentifier,
)
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, PHONE

NOW = FakeClock()()
LIMITS = LoginLimits()
GRANT = GrantId("g")
REQUEST = AuthorizationRequest(
    ClientId("c"), "Shop", SectorIdentifier("c"), "https://a.example/", ("openid",)
)
PENDING = Login(
    login_id=LoginId("l"),
    browser_digest=b"b",
    ticket_anchor=b"t",
    request=REQUEST,
    state=LoginState.PENDING,
    seq=0,
    attempts=0,
    expires_at=NOW + timedelta(seconds=LIMITS.pending_s),
    opened_at=NOW,
    asked_at=NOW,
)
SCANNED = state_machine.claimed(PENDING, PHONE, NOW, LIMITS)
PALM = Authenticated(ANNA, NOW, Level.PALM_AND_PHONE)
VERIFIED = state_machine.compared(SCANNED, PALM, NOW, LIMITS)
APPROVED = state_machine.approved(VERIFIED, NOW, LIMITS)
CODED = state_machine.approved(
    state_machine.compared(SCANNED, PALM, NOW, LIMITS, "0481"), NOW, LIMITS
)
ENDED = [replace(SCANNED, state=state) for state in LoginState if state not in OPEN_STATES]


@pytest.mark.parametrize(
    ("login", "state", "lifetime_s"),
    [
        (PENDING, LoginState.PENDING, LIMITS.pending_s),
        (SCANNED, LoginState.SCANNED, LIMITS.scanned_s),
        (VERIFIED, LoginState.VERIFIED, LIMITS.verified_s),
        (APPROVED, LoginState.APPROVED, LIMITS.approved_s),
        (CODED, LoginState.APPROVED, LIMITS.code_s),
    ],
)
def test_each_step_has_its_own_deadline(
    login: Login, state: LoginState, lifetime_s: int
) -> None:
    """Short codes disrupt a relayed login, and slow people are not stopped early. RFC 10027."""
    end = NOW + timedelta(seconds=lifetime_s)

    assert (login.state, login.expires_at) == (state, end)
    assert state_machine.with_expiry(login, end - timedelta(microseconds=1)) == login
    assert state_machine.with_expiry(login, end).state is LoginState.EXPIRED


@pytest.mark.parametrize("login", [VERIFIED, APPROVED, replace(SCANNED, expected_account=ANNA)])
def test_a_login_that_ends_forgets_whose_it_was(login: Login) -> None:
    """After the end the account is not needed, so the row does not keep it."""
    ends = [
        state_machine.with_expiry(login, NOW + timedelta(hours=1)),
        state_machine.cancelled(login, NOW),
        state_machine.completed(login, NOW, GRANT),
    ]

    assert all((end.account, end.expected_account) == (None, None) for end in ends)


@pytest.mark.parametrize("login", ENDED)
def test_what_has_ended_stays_as_it_ended(login: Login) -> None:
    """No late deadline and no cancel changes what was said to the client."""
    assert state_machine.with_expiry(login, NOW + timedelta(days=1)) == login
    assert state_machine.cancelled(login, NOW) == login


@pytest.mark.parametrize("risk", ["", "browser", "network", "phone", "named"])
def test_at_any_risk_the_person_is_asked_once_more(risk: str) -> None:
    """A victim of an attacker's code meets each of these but the last. RFC 10027."""
    network = Network.DIFFERENT if risk == "network" else Network.SAME
    level = Level.PALM if risk == "phone" else Level.PALM_AND_PHONE
    named = ANNA if risk == "named" else None
    login = replace(VERIFIED, network=network, level=level, expected_account=named)

    assert state_machine.is_familiar(login, is_known_browser=risk != "browser") == (risk == "")


@pytest.mark.parametrize(
    ("shown", "accepts", "hint"),
    [
        (Level.PALM_AND_PHONE, {Level.PALM_AND_PHONE}, NextStep.WAIT_APPROVE),
        (Level.PALM_AND_PHONE, {Level.PALM}, NextStep.WAIT_APPROVE),
        (Level.PALM_AND_PHONE, {Level.PALM_AT_STATION}, NextStep.PHONE_NOT_TRUSTED),
        (Level.PALM_AT_STATION, {Level.PALM_AND_PHONE}, NextStep.PHONE_NOT_TRUSTED),
        (Level.PALM_AT_STATION, {Level.PALM_AT_STATION}, NextStep.WAIT_APPROVE),
        (Level.PALM_AT_STATION, {Level.PALM}, NextStep.WAIT_APPROVE),
        (Level.PALM, {Level.PALM_AND_PHONE, Level.PALM_AT_STATION}, NextStep.PHONE_NOT_TRUSTED),
        (Level.PALM, {Level.PALM_AND_PHONE, Level.PALM}, NextStep.WAIT_APPROVE),
    ],
)
def test_only_an_accepted_level_signs_in(
    shown: Level, accepts: set[Level], hint: NextStep
) -> None:
    """And no level stands for another, but a palm for what every level includes."""
    login = replace(SCANNED, request=replace(REQUEST, accepts=tuple(accepts)))

    after = state_machine.compared(login, Authenticated(ANNA, NOW, shown), NOW, LIMITS)

    assert state_machine.next_step_of(after) is hint
    assert (after.account is None) == (hint is NextStep.PHONE_NOT_TRUSTED)


def test_a_login_waits_for_the_device_to_be_trusted_once_and_for_one_person() -> None:
    """An unknown device learns of one person that the palm is known, as it would anyway."""
    alone = Authenticated(ANNA, NOW, Level.PALM)
    later = NOW + timedelta(seconds=60)

    waiting = state_machine.compared(SCANNED, alone, NOW, LIMITS)
    again = state_machine.compared(waiting, alone, later, LIMITS)
    other = state_machine.compared(again, replace(alone, account=BERT), later, LIMITS)

    assert (waiting.state, waiting.attempts) == (LoginState.SCANNED, 0)
    assert (again.attempts, again.expires_at) == (0, waiting.expires_at)
    assert state_machine.next_step_of(other) is NextStep.PALM_RETRY
    assert other.attempts == 1
    assert state_machine.compared(other, PALM, later, LIMITS).state is LoginState.VERIFIED
    late = state_machine.with_expiry(again, later + timedelta(hours=1))
    assert state_machine.next_step_of(late) is NextStep.PHONE_NOT_TRUSTED
    assert (late.state, late.expected_account) == (LoginState.EXPIRED, None)


def test_yes_needs_a_palm() -> None:
    """Approval without a palm would be a login without a person."""
    with pytest.raises(WrongState) as caught:
        state_machine.approved(SCANNED, NOW, LIMITS)

    assert caught.value.hint is NextStep.WAIT_PALM


@pytest.mark.parametrize(
    ("login", "move"),
    [
        # The browser may already be gone with the code.
        (APPROVED, lambda login: state_machine.declined(login, NOW)),
        # A second palm could replace the first after the person read the screen.
        *((each, lambda login: _compared(login)) for each in (VERIFIED, APPROVED)),
        # Nothing can be guessed where no code is demanded.
        *((each, lambda login: _confirmed(login)) for each in (SCANNED, VERIFIED, APPROVED)),
    ],
)
def test_a_move_at_the_wrong_time_is_refused(
    login: Login, move: Callable[[Login], Login]
) -> None:
    """Whatever phone or browser ask for."""
    with pytest.raises(WrongState):
        move(login)


def _compared(login: Login) -> Login:
    return state_machine.compared(login, PALM, NOW, LIMITS)


def _confirmed(login: Login) -> Login:
    return state_machine.confirmed(login, "0481", NOW, LIMITS)


@pytest.mark.parametrize("login", ENDED)
def test_nothing_but_the_same_answer_is_possible_after_the_end(login: Login) -> None:
    """An ended login says how it ended, and nothing moves it."""
    with pytest.raises(LoginGone) as caught:
        state_machine.claimed(login, PHONE, NOW, LIMITS)
    assert caught.value.hint is state_machine.next_step_of(login)
    with pytest.raises(LoginGone):
        state_machine.compared(login, PALM, NOW, LIMITS)


@pytest.mark.parametrize("login", [PENDING, SCANNED, VERIFIED])
def test_a_newer_login_supersedes_what_is_not_approved(login: Login) -> None:
    """An approved one finishes; one that has ended stays as it ended."""
    assert state_machine.superseded(login, NOW).state is LoginState.SUPERSEDED
    assert state_machine.superseded(APPROVED, NOW) == APPROVED
    assert state_machine.superseded(ENDED[0], NOW) == ENDED[0]


def test_only_an_unscanned_code_may_be_renewed_and_not_for_ever() -> None:
    """A login that a phone held has used up its tries and its time."""
    late = state_machine.with_expiry(PENDING, NOW + timedelta(seconds=LIMITS.pending_s))
    held = state_machine.with_expiry(SCANNED, NOW + timedelta(seconds=LIMITS.scanned_s))
    end = NOW + timedelta(seconds=LIMITS.renewable_s)

    assert state_machine.is_renewable(late, end - timedelta(microseconds=1), LIMITS)
    assert not state_machine.is_renewable(late, end, LIMITS)
    assert not state_machine.is_renewable(held, NOW, LIMITS)
    assert not state_machine.is_renewable(PENDING, NOW, LIMITS)
