"""The needs of each operation of an account: the one table that every route reads.

A palm identifies; it takes a trusted phone, or time and notice, to own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mobile_api import errors as e
from mobile_api.types import PhoneTrust

JUST_NOW: Final = timedelta(minutes=5)
"""How recent a passkey must be to change or end something."""


class Operation(StrEnum):
    """An operation that a phone requests."""

    SIGN_IN = "sign_in"
    ENROL = "enrol"
    SHOW_STANDING = "show_standing"
    ASK_TRUST = "ask_trust"
    USE_PASSKEY = "use_passkey"
    PROVE_PALM = "prove_palm"
    RECOVER = "recover"
    SHOW_ACCOUNT = "show_account"
    REFUSE_PHONE = "refuse_phone"
    SET_PUSH = "set_push"
    KEEP_PASSKEY = "keep_passkey"
    REMOVE_PASSKEY = "remove_passkey"
    APPROVE_PHONE = "approve_phone"
    REMOVE_PHONE = "remove_phone"
    DISCONNECT_APP = "disconnect_app"
    ADD_PALM = "add_palm"
    ADD_PASSKEY = "add_passkey"
    TAKE_RECOVERY_CODE = "take_recovery_code"
    TAKE_DELETION_CODE = "take_deletion_code"
    DELETE_ACCOUNT = "delete_account"


class PasskeyUse(StrEnum):
    """How recently a phone that has a passkey must have used it."""

    ANY = "any"
    LATELY = "lately"
    JUST_NOW = "just_now"


@dataclass(frozen=True, slots=True)
class Needs:
    """The needs of an operation.

    Attributes:
        palm: one shown now or in the last minutes.
        still: a trusted phone may show it without a challenge.
        owns: refused to a phone that waiting has just made trusted.
    """

    trust: PhoneTrust
    palm: bool
    passkey: PasskeyUse = PasskeyUse.ANY
    still: bool = False
    owns: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A phone and its account.

    Attributes:
        passkey_age: None if the phone has no passkey.
        owns: not for days after waiting made it trusted.
    """

    trust: PhoneTrust
    passkey_age: timedelta | None
    owns: bool = True


_NONE, _NEW, _TRUSTED = PhoneTrust.NONE, PhoneTrust.NEW, PhoneTrust.TRUSTED
_LATELY, _JUST_NOW = PasskeyUse.LATELY, PasskeyUse.JUST_NOW
_OWNS: Final = Needs(_TRUSTED, palm=True, passkey=_JUST_NOW, owns=True)

RULES: Final[Mapping[Operation, Needs]] = MappingProxyType(
    {
        Operation.SIGN_IN: Needs(_NONE, palm=True, passkey=_LATELY, still=True),
        Operation.ENROL: Needs(_NONE, palm=True),
        Operation.SHOW_STANDING: Needs(_NONE, palm=False),
        Operation.PROVE_PALM: Needs(_NONE, palm=True),
        Operation.USE_PASSKEY: Needs(_NONE, palm=False),  # a new phone shows a palm proof
        Operation.ASK_TRUST: Needs(_NEW, palm=True),
        Operation.RECOVER: Needs(_NEW, palm=True),
        Operation.SHOW_ACCOUNT: Needs(_TRUSTED, palm=True),
        Operation.REFUSE_PHONE: Needs(_TRUSTED, palm=False, owns=True),
        Operation.SET_PUSH: Needs(_TRUSTED, palm=False),
        Operation.KEEP_PASSKEY: Needs(_TRUSTED, palm=False),  # its creation was allowed
        Operation.REMOVE_PASSKEY: Needs(_TRUSTED, palm=False, passkey=_JUST_NOW, owns=True),
        Operation.APPROVE_PHONE: _OWNS,
        Operation.REMOVE_PHONE: _OWNS,
        Operation.DISCONNECT_APP: _OWNS,
        Operation.ADD_PALM: _OWNS,
        Operation.ADD_PASSKEY: _OWNS,
        Operation.TAKE_RECOVERY_CODE: _OWNS,
        Operation.TAKE_DELETION_CODE: _OWNS,
        Operation.DELETE_ACCOUNT: _OWNS,
    }
)

_ORDER: Final = list(PhoneTrust)


def needs_challenge(operation: Operation, trust: PhoneTrust) -> bool:
    """Return whether the palm must be shown in a challenge, where the service demands any.

    A phone that the account does not trust has nothing but the palm.
    """
    needs = RULES[operation]
    return needs.palm and not (needs.still and trust is PhoneTrust.TRUSTED)


def refusals_of(operation: Operation) -> tuple[type[e.MobileError], ...]:
    """Return what an operation may be refused with."""
    needs = RULES[operation]
    refused = {
        e.StationRefused: operation is not Operation.SIGN_IN,
        e.DeviceUnbound: needs.trust is not PhoneTrust.NONE,
        e.PhoneNotTrusted: needs.trust is PhoneTrust.TRUSTED,
        e.PhoneOwnsLater: needs.owns,
        e.PasskeyNeeded: needs.passkey is not PasskeyUse.ANY,
    }
    return tuple(fault for fault, is_possible in refused.items() if is_possible)


def require(operation: Operation, standing: Standing, lately: timedelta) -> None:
    """Require what an operation needs of a phone; ``lately`` is the limit for sign-ins.

    Whether the palm matches is decided in ``recognition.identification``.

    Raises DeviceUnbound, PhoneNotTrusted, PhoneOwnsLater or PasskeyNeeded.
    """
    needs = RULES[operation]
    if _ORDER.index(standing.trust) < _ORDER.index(needs.trust):
        if standing.trust is PhoneTrust.NONE:
            raise e.DeviceUnbound("this phone belongs to no account")
        raise e.PhoneNotTrusted("this phone is new: approve it on a phone that you trust")
    if needs.owns and not standing.owns:
        raise e.PhoneOwnsLater("for some days only an older trusted phone may do this")
    limits = {PasskeyUse.LATELY: lately, PasskeyUse.JUST_NOW: min(JUST_NOW, lately)}
    limit = limits.get(needs.passkey)
    if limit is not None and standing.passkey_age is not None and standing.passkey_age > limit:
        raise e.PasskeyNeeded("confirm with the screen lock of this phone")
