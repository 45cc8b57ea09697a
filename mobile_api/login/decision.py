"""Decides what a palm means for a login. Pure: no database, no gallery.

If the login names an account, only that one may answer. Otherwise the device's own account is
compared first and then, if the policy allows it, the whole gallery.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mobile_api.errors import MobileError
from mobile_api.types import Device
from oidc.types import AccountId, Authenticated, Level, Mismatched, Outcome


@dataclass(frozen=True, slots=True)
class Policy:
    """The accounts that operator and request allow a palm to match.

    Attributes:
        is_bound: only the account of the device may sign in.
        refusal: why a palm is compared with the owner of a trusted device alone; None: with any
            account. Else a print of a palm would sign in on a phone that another person trusts.
    """

    is_bound: bool
    refusal: MobileError | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Whose palm may be asked: the claimed account, and whether then any other."""

    claimed: AccountId | None
    searches: bool


def question(named: AccountId | None, device: Device, policy: Policy) -> Question | None:
    """Return what a palm is compared with; None: with no account, so that it cannot match.

    Raises the refusal of the policy if this is not the owner's device.
    """
    if policy.refusal is not None:
        if not device.is_trusted or named not in (None, device.account):
            raise policy.refusal
        return Question(device.account, searches=False)
    if policy.is_bound and named not in (None, device.account):
        return None
    return Question(named or device.account, searches=not named and not policy.is_bound)


def decide(
    found: AccountId | None,
    named: AccountId | None,
    device: Device,
    policy: Policy,
    now: datetime,
) -> Outcome:
    """Return the outcome of a palm that matched an account, or none.

    ``device`` is as it is now: what was asked may have been allowed by what it was. Raises the
    refusal of the policy where another account might have matched.
    """
    is_own = device.is_trusted and device.account == found
    if policy.refusal is not None and not is_own:
        if found is None and (named or policy.is_bound):
            return Mismatched()
        raise policy.refusal
    if found is None or named not in (None, found):
        return Mismatched()
    if policy.is_bound and found != device.account:
        return Mismatched()
    return Authenticated(found, now, _level(device, is_own=is_own))


def _level(device: Device, *, is_own: bool) -> Level:
    """Return what a palm proves on this device; a station claims only what began at it."""
    if device.station is not None:
        return Level.PALM_AT_STATION
    return Level.PALM_AND_PHONE if is_own else Level.PALM
