"""What a palm means for a login: every case of named account, phone, policy and match."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from mobile_api.errors import ChallengeNeeded, MobileError
from mobile_api.login import Comparison, Policy, comparison, decide
from mobile_api.types import Device, DeviceId, PhoneTrust, Station, StationChallenge
from oidc.types import AccountId, Authenticated, Level, Mismatched

ADA, BOB = AccountId(UUID(int=1)), AccountId(UUID(int=2))
NOW = datetime(2026, 1, 1, tzinfo=UTC)

UNBOUND = Device(DeviceId("p" * 43), "", None)
NEW = replace(UNBOUND, account=ADA, trust=PhoneTrust.NEW)
TRUSTED = replace(UNBOUND, account=ADA, trust=PhoneTrust.TRUSTED)
STATION = replace(UNBOUND, station=Station("Till", challenge=StationChallenge.NONE))

ANY = Policy(is_bound=False)
BOUND = Policy(is_bound=True)
OWNER = Policy(is_bound=False, refusal=ChallengeNeeded("show this palm in a challenge"))
BOUND_OWNER = replace(OWNER, is_bound=True)


@dataclass(frozen=True)
class Case:
    """``asked``: (claimed, searches), "nothing" or "refused"; ``given``: a level or a word."""

    policy: Policy
    device: Device
    named: AccountId | None
    found: AccountId | None
    asked: object
    given: object


CASES = [
    # policy, device, named, found → asked, given
    Case(ANY, UNBOUND, None, ADA, (None, True), Level.PALM),
    Case(ANY, UNBOUND, None, None, (None, True), "mismatch"),
    Case(ANY, UNBOUND, ADA, ADA, (ADA, False), Level.PALM),
    Case(ANY, UNBOUND, ADA, BOB, (ADA, False), "mismatch"),
    Case(ANY, NEW, None, ADA, (ADA, True), Level.PALM),
    Case(ANY, NEW, None, BOB, (ADA, True), Level.PALM),
    Case(ANY, TRUSTED, None, ADA, (ADA, True), Level.PALM_AND_PHONE),
    Case(ANY, TRUSTED, None, BOB, (ADA, True), Level.PALM),
    Case(ANY, TRUSTED, BOB, BOB, (BOB, False), Level.PALM),
    Case(ANY, TRUSTED, BOB, ADA, (BOB, False), "mismatch"),
    Case(ANY, STATION, None, ADA, (None, True), Level.PALM_AT_STATION),
    Case(ANY, STATION, ADA, None, (ADA, False), "mismatch"),
    Case(BOUND, TRUSTED, None, ADA, (ADA, False), Level.PALM_AND_PHONE),
    Case(BOUND, TRUSTED, None, None, (ADA, False), "mismatch"),
    Case(BOUND, TRUSTED, None, BOB, (ADA, False), "mismatch"),
    Case(BOUND, TRUSTED, BOB, None, "nothing", "mismatch"),
    Case(BOUND, NEW, None, ADA, (ADA, False), Level.PALM),
    Case(OWNER, TRUSTED, None, ADA, (ADA, False), Level.PALM_AND_PHONE),
    Case(OWNER, TRUSTED, None, None, (ADA, False), "refused"),
    Case(OWNER, TRUSTED, ADA, None, (ADA, False), "mismatch"),
    Case(OWNER, TRUSTED, BOB, None, "refused", "mismatch"),
    Case(OWNER, NEW, None, ADA, "refused", "refused"),
    Case(OWNER, UNBOUND, None, None, "refused", "refused"),
    Case(OWNER, STATION, None, ADA, "refused", "refused"),
    Case(BOUND_OWNER, TRUSTED, None, ADA, (ADA, False), Level.PALM_AND_PHONE),
    Case(BOUND_OWNER, TRUSTED, None, None, (ADA, False), "mismatch"),
    Case(BOUND_OWNER, TRUSTED, BOB, None, "refused", "mismatch"),
]


@pytest.mark.parametrize("case", CASES)
def test_each_case_asks_and_gives(case: Case) -> None:
    """Who is compared, and at which level the login is answered."""
    assert asked(case) == case.asked
    assert given(case) == case.given


def asked(case: Case) -> object:
    """Return what may be compared."""
    try:
        found = comparison(case.named, case.device, case.policy)
    except MobileError:
        return "refused"
    return (found.claimed, found.searches) if isinstance(found, Comparison) else "nothing"


def given(case: Case) -> object:
    """Return what is recorded."""
    try:
        outcome = decide(case.found, case.named, case.device, case.policy, NOW)
    except MobileError:
        return "refused"
    if isinstance(outcome, Mismatched):
        return "mismatch"
    assert isinstance(outcome, Authenticated)
    assert (outcome.account, outcome.auth_time) == (case.found, NOW)
    return outcome.level
