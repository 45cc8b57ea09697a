"""Sentences of the reference phone for every hint, reason and error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.types import QualityReason
from mobile_api.errors import PhoneError, PhoneRefused
from mobile_api.types import ChallengeFailure, NoticeKind, PhoneTrust, TrustWay
from oidc.types import Network, NextStep

if TYPE_CHECKING:
    from mobile_api.messages import RequestOriginMessage

REASONS: Final = {
    QualityReason.TOO_BLURRED: "The picture is not sharp. Hold still and let the camera focus.",
    QualityReason.TOO_DARK: "The palm is too dark. Find more light.",
    QualityReason.COVERED: "Something covers your palm. Uncover it.",
    QualityReason.TOO_BRIGHT: "The palm is too bright. Turn away from the light.",
    QualityReason.OUT_OF_FRAME: "The palm is partly out of the picture. Move it to the middle.",
    QualityReason.TOO_SMALL: "The palm is too far away. Come closer.",
    QualityReason.BAD_POSE: "The palm is tilted or bent. Hold it flat towards the camera.",
}
"""An instruction for each quality gate."""

FAILURES: Final = {
    ChallengeFailure.NOT_FOLLOWED: "The hand did not do what was asked. Try again.",
    ChallengeFailure.TOO_LATE: "That took too long. Try again.",
    ChallengeFailure.CANNOT_TELL: "The hand could not be judged. Find another light.",
    ChallengeFailure.NOT_ONE_HAND: "Show one hand, the one that was requested.",
}
"""An instruction for each failed challenge."""

HINTS: Final = {
    NextStep.WAIT_SCAN: "The computer is waiting for a phone.",
    NextStep.WAIT_PALM: "Show your palm.",
    NextStep.PALM_RETRY: "That palm was not recognised. Try again.",
    NextStep.WAIT_APPROVE: "Your palm was recognised.",
    NextStep.WAIT_CODE: "Type this code on your computer:",
    NextStep.CODE_RETRY: "The code on the computer was wrong. Type this one:",
    NextStep.GO: "Done. Go back to your computer.",
    NextStep.DECLINED: "Declined. Nothing was shared.",
    NextStep.EXPIRED: "Time ran out. Start again on the computer.",
    NextStep.LOCKED: "No palm was recognised. Start again on the computer, with a clean palm,"
    " good light, or your other hand.",
    NextStep.CANCELLED: "The sign-in was cancelled on the computer.",
    NextStep.CODE_LOCKED: "The wrong code was typed too often. Start again on the computer.",
    NextStep.SUPERSEDED: "A newer sign-in has replaced this one.",
    NextStep.REPORTED: "Reported. The sign-in was stopped and is no longer valid.",
    NextStep.PHONE_NOT_TRUSTED: "This phone is not trusted yet. Nothing was shared. Run"
    " `thenar phone trust`, and answer again.",
}
"""Where a login stands."""

ERRORS: Final = {
    "palm_not_found": "No palm was found in the picture. Show one open hand, fingers apart.",
    "back_of_hand": "That is the back of your hand. Show your palm.",
    "ticket_stale": "This link has expired. Copy the one that is on the screen now.",
    "connection_gone": "You are not connected to this app.",
    "palm_proof_expired": "Your palm check has expired. Show your palm again.",
    "already_claimed": "Another phone is answering this sign-in.",
    "login_gone": "This sign-in is over. Start again on the computer.",
    "device_unknown": "The service does not know this phone. Run `thenar phone register`.",
    "device_unbound": "This phone is not linked to an account. Enrol your palm with it first.",
    "clock_skew": "The clock of this phone is wrong.",
    "consent_changed": "The consent text has changed. Start the enrolment again.",
    "samples_disagree": "The pictures of one hand do not match. Take them again.",
    "too_few_samples": "Two good pictures of each palm are needed.",
    "samples_repeat": "This picture equals an earlier one. Take another.",
    "already_enrolled": "A palm in these pictures is already enrolled.",
    "phone_not_trusted": "This phone is new: use a phone that you trust, or run"
    " `thenar phone trust` first.",
    "phone_owns_later": "Waiting has just made this phone trusted: use an older one, or wait.",
    "phone_gone": "There is no such phone or request any more. See `thenar phone phones`.",
    "recovery_code_wrong": "This is not the recovery code of your account.",
    "palm_disputed": "Two people claim this palm. Show your other one.",
    "palm_mismatch": "This palm does not belong to this phone's account.",
    "one_palm_twice": "Both hands show one palm. Start the enrolment again.",
    "template_unmatched": "This template does not match your account: use --send picture.",
    "template_not_accepted": "The service wants pictures of this phone: use --send picture.",
    "challenge_needed": "The service wants to see this palm move: use the page at /m, or a"
    " --camera.",
    "challenge_gone": "The challenge is over. Start again.",
    "presentation_attack": "This picture cannot be used. Show your own hand.",
    "service_busy": "The service is busy. Try again in a moment.",
}
"""Sentences that say more than the service's own."""


LOCKED: Final = "Too many attempts from this phone today. Try again in {wait}."
"""The service says when."""

FINISHED: Final = "This sign-in has ended: it was approved before."
"""Nothing remains to be done on the computer."""

DISPUTED: Final = (
    "A palm in these pictures is already enrolled. If it was not you, show your palm and this"
    " code to the operator: {code}"
)
"""A person's palm may be enrolled in another account."""

TRUST: Final = {
    PhoneTrust.NONE: "This phone belongs to no account.",
    PhoneTrust.NEW: "[yellow]This phone is new[/yellow]: it can sign in, but not manage your"
    " account.",
    PhoneTrust.TRUSTED: "[green]This phone is trusted[/green].",
}
"""How far the account trusts this phone."""

TRUST_WAYS: Final = {
    TrustWay.PASSKEY: "- Use your passkey, at /m in a browser.",
    TrustWay.PHONE: "- Run `thenar phone approve` on a trusted phone, for the number {number}.",
    TrustWay.CODE: "- Run `thenar phone recover CODE`.",
    TrustWay.WAIT: "- Wait, if no trusted phone refuses it.",
}
"""How a new phone becomes trusted."""

NOTICES: Final = {
    NoticeKind.NEW_PHONE: "A phone signed in with your palm for the first time. See"
    " `thenar phone phones`.",
    NoticeKind.PALM_DISPUTED: "A person tried to set up a palm of this account on another"
    " phone. If it was not you, someone may have a picture of it.",
    NoticeKind.PALM_RELEASED: "The operator removed a palm from this account, because it"
    " belongs to someone else.",
    NoticeKind.PHONE_TRUSTED: "Your account trusts one more phone. See `thenar phone phones`.",
    NoticeKind.PASSKEY_ADDED: "Another phone added a passkey. See `thenar phone phones`.",
    NoticeKind.CODE_TAKEN: "Another phone took a new recovery code. See `thenar phone phones`.",
}
"""A sentence for each event of the account."""

NETWORKS: Final = {
    Network.SAME: "on the same network as this phone",
    Network.DIFFERENT: "on a different network from this phone",
    Network.UNKNOWN: "on an unknown network",
}
"""Where the browser is."""


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
    return f"from {browser}{system}, {NETWORKS[asked.network]}"


def message_for(fault: PhoneError) -> str:
    """Return the sentence for an error."""
    if not isinstance(fault, PhoneRefused):
        return str(fault)
    if fault.reason in set(QualityReason):
        return REASONS[QualityReason(fault.reason)]
    if fault.reason in set(ChallengeFailure):
        return FAILURES[ChallengeFailure(fault.reason)]
    if fault.error == "login_gone" and fault.hint in set(NextStep):
        hint = NextStep(fault.hint)
        return FINISHED if hint is NextStep.GO else f"This sign-in has ended. {HINTS[hint]}"
    if fault.dispute_code is not None:
        return DISPUTED.format(code=fault.dispute_code)
    if fault.error == "too_many_attempts" and fault.retry_after_s is not None:
        return LOCKED.format(wait=waiting_time(fault.retry_after_s))
    return ERRORS.get(fault.error, str(fault))
