"""Exceptions of the mobile API and of its reference phone.

::

    MobileError
    ├── BadRequest
    │   ├── InvalidRequest
    │   ├── WrongContentType
    │   ├── BodyTooLarge
    │   └── BodyIncomplete
    ├── ProofRefused
    │   ├── InvalidProof
    │   ├── NonceNeeded
    │   └── ClockSkew
    ├── DeviceRefused
    │   ├── DeviceUnknown
    │   ├── DeviceUnbound
    │   ├── PhoneNotTrusted
    │   ├── PhoneOwnsLater
    │   ├── StationRefused
    │   ├── StationOutsideNetworks
    │   ├── StationCodeWrong
    │   └── TooManyAttempts
    ├── TooManyRequests
    ├── ServiceBusy
    ├── EnrolmentRefused
    │   ├── ConsentChanged
    │   ├── EnrolmentGone
    │   ├── TooManySamples
    │   ├── TooFewSamples
    │   ├── SamplesRepeat
    │   ├── SamplesDisagree
    │   ├── OnePalmTwice
    │   └── AlreadyEnrolled
    ├── PalmMismatch
    ├── PalmDisputed
    ├── PalmProofExpired
    ├── PhoneGone
    ├── RecoveryCodeWrong
    ├── PasskeyRefused
    ├── PasskeyNeeded
    ├── TemplateNotAccepted
    │   └── TemplateUnmatched
    ├── ChallengeNeeded
    ├── MotionsCodeNeeded
    ├── ChallengeFailed
    ├── ChallengeGone
    ├── ChallengeOff
    ├── WrongStep
    ├── NoSuchCode
    ├── StationFault
    ├── DeletionUnlisted
    ├── AuditBroken
    ├── StorageFault
    │   ├── NotMigrated
    │   ├── KeyFileFault
    │   ├── ErasureListFault
    │   ├── GalleryBehind
    │   ├── UnknownExtractor
    │   └── DecryptionFailed
    ├── SettingsFault
    ├── ProcessesRun
    └── PhoneError
        ├── PhoneRefused
        ├── NoThenarLink
        ├── PhoneState
        └── ServiceUnreachable

``code`` is stable, and the class's name unless it has another: responses hold it as ``error``.
No message repeats any part of a request.
"""

from collections.abc import Sequence, Set
from typing import ClassVar

from engine.types import Hand
from mobile_api.types import ChallengeFailure
from oidc.errors import name_code


class MobileError(Exception):
    """Base class of the mobile API's errors."""

    code: ClassVar[str] = "mobile_error"

    def __init_subclass__(cls) -> None:
        name_code(cls)


class BadRequest(MobileError):
    """The request itself is wrong."""

    code = "request_refused"


class InvalidRequest(BadRequest):
    """A field is missing, unknown, too long or malformed."""


class WrongContentType(BadRequest):
    """This endpoint does not accept this content type."""


class BodyTooLarge(BadRequest):
    """The body is longer than this endpoint accepts."""


class BodyIncomplete(BadRequest):
    """The body ended too soon, or its length is no number: send it again."""


class ProofRefused(MobileError):
    """The proof of possession of the device key is not valid. RFC 9449 §4.3."""


class InvalidProof(ProofRefused):
    """The proof is missing, malformed, or signs another request."""

    code = "invalid_dpop_proof"


class NonceNeeded(ProofRefused):
    """The nonce is missing, used or expired. RFC 9449 §8."""

    code = "use_dpop_nonce"


class ClockSkew(ProofRefused):
    """The proof's time differs too much from the service's clock."""


class DeviceRefused(MobileError):
    """This device may not do that."""


class DeviceUnknown(DeviceRefused):
    """The device key is not registered."""


class DeviceUnbound(DeviceRefused):
    """The device belongs to no account, and this request needs one."""


class PhoneNotTrusted(DeviceRefused):
    """The device is a new phone of its account, and this request needs a trusted one."""


class PhoneOwnsLater(DeviceRefused):
    """Waiting has just made the device trusted: it signs in, and changes nothing for days."""


class StationRefused(DeviceRefused):
    """A station only answers sign-ins that begin in its own browser."""


class StationOutsideNetworks(DeviceRefused):
    """The station's request comes from none of its networks."""

    code = "station_elsewhere"


class StationCodeWrong(DeviceRefused):
    """The enrolment code is unknown, used or late, or the key was registered before."""


class TooManyAttempts(DeviceRefused):
    """Too many palms were presented today."""

    def __init__(self, message: str, retry_after_s: int = 3600) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyRequests(MobileError):
    """Too many requests from one network or device."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many requests from here: wait a moment")
        self.retry_after_s = retry_after_s


class ServiceBusy(MobileError):
    """Too many pictures or bodies are being processed."""


class EnrolmentRefused(MobileError):
    """The enrolment cannot continue."""


class ConsentChanged(EnrolmentRefused):
    """The person agreed to a consent text that is not current."""


class EnrolmentGone(EnrolmentRefused):
    """The enrolment is unknown, expired, or another device's; it does not say which."""


class TooManySamples(EnrolmentRefused):
    """The enrolment has enough samples of this palm."""


class TooFewSamples(EnrolmentRefused):
    """The enrolment needs more samples of a palm."""


class SamplesRepeat(EnrolmentRefused):
    """The picture repeats an earlier one of this enrolment; the enrolment stays open."""


class SamplesDisagree(EnrolmentRefused):
    """Too few samples of a hand match each other: add others."""


class OnePalmTwice(EnrolmentRefused):
    """The samples of both hands show one palm. The enrolment is over: begin another."""


class AlreadyEnrolled(EnrolmentRefused):
    """A palm already has an account; the answer does not say whose.

    Attributes:
        known: the hands of such palms.
        others: hands that finishing again enrols without them.
        dispute_code: shows the operator the account, if it is one other account.
    """

    def __init__(
        self,
        message: str,
        known: Set[Hand] = frozenset(),
        others: Sequence[Hand] = (),
        dispute_code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.known, self.others, self.dispute_code = known, others, dispute_code


class PalmMismatch(MobileError):
    """The palm does not match the account of this device."""


class PalmDisputed(MobileError):
    """Two people claim this palm: for now it signs no account in here; another palm does."""


class PalmProofExpired(MobileError):
    """The palm proof is too old, or belongs to another device."""


class PhoneGone(MobileError):
    """The account has no such phone, or the phone asks for nothing any more."""


class RecoveryCodeWrong(MobileError):
    """This is not the recovery code of the account."""


class PasskeyRefused(MobileError):
    """The passkey's signature is not valid; the answer does not say why."""


class PasskeyNeeded(MobileError):
    """The device must authenticate with its passkey again first."""


class TemplateNotAccepted(MobileError):
    """A picture is needed: the phone is not trusted, or the service takes no templates."""


class TemplateUnmatched(TemplateNotAccepted):
    """The template matches no account it may be compared with: send this palm as a picture."""


class ChallengeNeeded(MobileError):
    """The palm must be shown in a challenge, not as a picture or template."""


class MotionsCodeNeeded(MobileError):
    """Leaving out motions needs a trusted device, or a code of the operator."""


class ChallengeFailed(MobileError):
    """The challenge failed and is over; ``reason`` says what a person can do better."""

    def __init__(self, reason: ChallengeFailure) -> None:
        super().__init__("the palm did not show what was asked: try again")
        self.reason = reason


class ChallengeGone(MobileError):
    """The challenge is unknown, over, used, or another device's."""


class ChallengeOff(MobileError):
    """This service asks for no challenges."""


class WrongStep(MobileError):
    """The challenge does not wait for this step."""

    code = "wrong_state"


class NoSuchCode(MobileError):
    """No account has this code. Raised by commands only."""


class StationFault(MobileError):
    """No station can be added or removed like this. Raised by commands only."""


class DeletionUnlisted(MobileError):
    """The account is erased, but not yet on the list of erasures. Raised by commands only."""


class AuditBroken(MobileError):
    """The audit log was changed. Raised by commands only."""


class StorageFault(MobileError):
    """The database or its key cannot be used."""


class NotMigrated(StorageFault):
    """The database schema is not the version that this program needs."""


class KeyFileFault(StorageFault):
    """The key file is missing, malformed or readable by others."""

    code = "key_fault"


class ErasureListFault(StorageFault):
    """The list of erasures is missing, forged, shorter than counted, or cannot be written."""


class GalleryBehind(StorageFault):
    """The gallery has not followed the database for seconds."""


class UnknownExtractor(StorageFault):
    """References exist of an extractor that is not running: no palm would match them."""


class DecryptionFailed(StorageFault):
    """A template cannot be decrypted: wrong key, wrong row, or changed bytes."""

    code = "seal_broken"


class SettingsFault(MobileError):
    """Settings, or what they name, cannot be used."""


class ProcessesRun(MobileError):
    """Processes run that a command would break."""


class PhoneError(MobileError):
    """An error that the reference phone shows to its user."""


class PhoneRefused(PhoneError):
    """The service answered with an error: see ``messages.ErrorMessage``."""

    retry_after_s: int | None = None
    """When to try again, if the service said so."""

    def __init__(
        self,
        status: int,
        error: str,
        hint: str | None,
        reason: str | None,
        message: str,
        dispute_code: str | None = None,
    ) -> None:
        super().__init__(message or error)
        self.dispute_code = dispute_code
        self.status, self.error, self.hint, self.reason = status, error, hint, reason


class NoThenarLink(PhoneError):
    """The link is not from a Thenar QR code."""


class PhoneState(PhoneError):
    """The phone's state file is missing, damaged or readable by others."""


class ServiceUnreachable(PhoneError):
    """The service did not answer, or its answer is not valid."""
