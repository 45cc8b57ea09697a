"""Sentences of the reference phone: words.toml has one for every hint, reason and error."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobile_api.errors import PhoneError, PhoneRefused
from oidc.types import NextStep

if TYPE_CHECKING:
    from mobile_api.messages import RequestOriginMessage

WORDS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

HINTS: Final[dict[str, str]] = WORDS["hints"]
TRUST: Final[dict[str, str]] = WORDS["trust"]
TRUST_WAYS: Final[dict[str, str]] = WORDS["trust_ways"]
NOTICES: Final[dict[str, str]] = WORDS["notices"]

LOCKED: Final = "Too many attempts from this phone today. Try again in {wait}."
"""The service says when."""

FINISHED: Final = "This sign-in has ended: it was approved before."
"""Nothing remains to be done on the computer."""

DISPUTED: Final = (
    "A palm in these pictures is already enrolled. If it was not you, show your palm and this"
    " code to the operator: {code}"
)
"""A person's palm may be enrolled in another account."""


def counted(number: int, thing: str) -> str:
    """Return a number with its noun: 1 second, 2 seconds."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def waiting_time(seconds: int) -> str:
    """Return a waiting time in hours, rounded up; the last hour in minutes."""
    if seconds <= 3600:
        return counted(-(-seconds // 60), "minute")
    return counted(-(-seconds // 3600), "hour")


def describe_origin(asked: RequestOriginMessage) -> str:
    """Say where a sign-in was requested."""
    browser = asked.browser or "an unknown browser"
    system = "" if asked.system is None else f" on {asked.system}"
    return f"from {browser}{system}, {WORDS['networks'][asked.network]}"


def message_for(fault: PhoneError) -> str:
    """Return the sentence for an error."""
    if not isinstance(fault, PhoneRefused):
        return str(fault)
    reasons: dict[str, str] = WORDS["reasons"] | WORDS["failures"]
    if fault.reason in reasons:
        return reasons[fault.reason]
    if fault.error == "login_gone" and fault.hint in HINTS:
        is_go = fault.hint == NextStep.GO
        return FINISHED if is_go else f"This sign-in has ended. {HINTS[fault.hint]}"
    if fault.dispute_code is not None:
        return DISPUTED.format(code=fault.dispute_code)
    if fault.error == "too_many_attempts" and fault.retry_after_s is not None:
        return LOCKED.format(wait=waiting_time(fault.retry_after_s))
    return str(WORDS["errors"].get(fault.error, fault))
