"""What each operation needs: the whole table, and every address that must ask it."""

from datetime import timedelta

import pytest

from mobile_api.account.rules import (
    RULES,
    Operation,
    PasskeyUse,
    Standing,
    needs_challenge,
    require,
)
from mobile_api.api import (
    account_routes,
    challenge_routes,
    login_routes,
    passkey_routes,
    phone_routes,
)
from mobile_api.errors import (
    DeviceUnbound,
    MobileError,
    PasskeyNeeded,
    PhoneNotTrusted,
    PhoneOwnsLater,
)
from mobile_api.types import PhoneTrust

WEEK = timedelta(days=7)
NONE, NEW, TRUSTED = PhoneTrust

ANYBODY = {
    Operation.SIGN_IN, Operation.ENROL, Operation.SHOW_STANDING, Operation.PROVE_PALM,
    Operation.USE_PASSKEY,
}  # fmt: skip
NEW_PHONES = {Operation.ASK_TRUST, Operation.RECOVER}
"""Asking opens nothing by itself; a code is a separate secret."""

LOOKING = {Operation.SHOW_ACCOUNT}
OF_TRUSTED_PHONES = {
    Operation.REFUSE_PHONE, Operation.SET_PUSH, Operation.KEEP_PASSKEY, Operation.REMOVE_PASSKEY
}  # fmt: skip
OWNING = set(Operation) - ANYBODY - NEW_PHONES - LOOKING - OF_TRUSTED_PHONES


def refused(
    operation: Operation, trust: PhoneTrust, age: timedelta | None = None, *, owns: bool = True
) -> str:
    """Return the error of an operation, or nothing."""
    try:
        require(operation, Standing(trust, age, owns), WEEK)
    except MobileError as fault:
        return fault.code
    return ""


@pytest.mark.parametrize("operation", Operation)
def test_only_a_trusted_phone_owns(operation: Operation) -> None:
    """A palm identifies: by itself it signs in, and asks."""
    refusals = [refused(operation, trust) for trust in (NONE, NEW, TRUSTED)]
    unbound, new = DeviceUnbound.code, PhoneNotTrusted.code

    if operation in ANYBODY:
        assert refusals == ["", "", ""]
    elif operation in NEW_PHONES:
        assert refusals == [unbound, "", ""]
    else:
        assert refusals == [unbound, new, ""]


@pytest.mark.parametrize("operation", sorted(OWNING))
def test_what_changes_an_account_needs_palm_and_passkey_now(operation: Operation) -> None:
    """A borrowed phone that is trusted is not its owner."""
    assert RULES[operation].palm
    assert refused(operation, TRUSTED, timedelta(minutes=5)) == ""
    assert refused(operation, TRUSTED, timedelta(minutes=5, seconds=1)) == PasskeyNeeded.code


@pytest.mark.parametrize("operation", Operation)
def test_a_phone_that_waited_signs_in_and_looks(operation: Operation) -> None:
    """For days it changes nothing; it cannot even refuse the owner's own new phone."""
    owns = operation in OWNING | {Operation.REMOVE_PASSKEY, Operation.REFUSE_PHONE}

    assert refused(operation, TRUSTED, owns=False) == (PhoneOwnsLater.code if owns else "")


def test_a_sign_in_needs_the_passkey_now_and_then() -> None:
    """The operator says how often."""
    assert refused(Operation.SIGN_IN, TRUSTED, WEEK) == ""
    assert refused(Operation.SIGN_IN, TRUSTED, WEEK + timedelta(1)) == PasskeyNeeded.code


def test_looking_needs_a_palm_and_no_passkey() -> None:
    """A list changes nothing."""
    for operation in LOOKING:
        assert RULES[operation].palm
        assert RULES[operation].passkey is PasskeyUse.ANY


def test_a_still_palm_only_signs_in_and_on_a_trusted_phone_only() -> None:
    """A print on its table must not end what its owner has."""
    asked = {op: [needs_challenge(op, trust) for trust in (NONE, NEW, TRUSTED)] for op in RULES}

    for operation, (none, new, trusted) in asked.items():
        assert none is new is RULES[operation].palm
        assert trusted == (RULES[operation].palm and operation is not Operation.SIGN_IN)


WITHOUT_RULE = {
    "get_nonce", "get_consent", "get_earlier_key", "register_device",  # before there is a phone
    "open_enrolment", "finish_enrolment",  # asks when it opens
    "add_picture", "add_template", "add_challenge",
    "begin_challenge", "answer_step",  # a palm shown in it is demanded where it is used
    "open_login", "get_login", "watch_login", "answer_with_picture", "answer_with_frames",
    "answer_with_template", "answer_with_challenge", "answer_with_palm_proof",
    # Bound to the phone that claimed the login, whose approval asks:
    "decline_login", "report_login",
    "enrol_station", "renew_station_cookie",  # a station has no account
}  # fmt: skip


def test_every_address_asks_the_table() -> None:
    """An address that asks nothing is named here, with a reason."""
    routes = [
        route
        for module in (
            account_routes, passkey_routes, login_routes, phone_routes, challenge_routes,
        )
        for route in module.router.routes
    ]  # fmt: skip
    silent = {
        route.name
        for route in routes
        if not any(
            getattr(each.call, "operation", None) for each in route.dependant.dependencies
        )
    }

    assert silent == WITHOUT_RULE
