"""The error that a client gets for a login that ended without a sign-in."""

from __future__ import annotations

from typing import Final

from oidc.errors import AuthorizationRefused
from oidc.types import NextStep

REASONS: Final = {
    NextStep.DECLINED: "the person declined on the phone",
    NextStep.EXPIRED: "the time for signing in ran out",
    NextStep.LOCKED: "the palm could not be verified",
    NextStep.CODE_LOCKED: "the wrong confirmation code was entered too often",
    NextStep.CANCELLED: "the person cancelled in the browser",
    NextStep.SUPERSEDED: "a newer sign-in has replaced this one",
    NextStep.REPORTED: "the person reported that another person started this sign-in",
    NextStep.PHONE_NOT_TRUSTED: "the palm was shown on a device that is not trusted yet",
}
"""``error_description`` for each way a login ends."""


def refusal_of(hint: NextStep) -> AuthorizationRefused:
    """Return the client's error. Core Unmet Authentication Requirements 1.0 §1."""
    is_unmet = hint is NextStep.PHONE_NOT_TRUSTED
    error = "unmet_authentication_requirements" if is_unmet else "access_denied"
    return AuthorizationRefused(error, REASONS[hint])
