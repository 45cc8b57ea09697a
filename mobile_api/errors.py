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

``code`` is stable: responses hold it as ``error``. No message repeats any part of a request.
"""

from collections.abc import Sequence, Set
from typing import ClassVar

from engine.types import Hand
from mobile_api.types import ChallengeFailure


class MobileError(Exception):
    """Base class of the mobile API's errors."""

    code: ClassVar[str] = "mobile_error"


class BadRequest(MobileError):
    """The request itself is wrong."""

    code = "request_refused"


class InvalidRequest(BadRequest):
    """A field is missing, unknown, too long or malformed."""

    code = "invalid_request"


class WrongContentType(BadRequest):
    """This endpoint does not accept this content type."""

    code = "wrong_content_type"


class BodyTooLarge(BadRequest):
    """The body is longer than this endpoint accepts."""

    code = "body_too_large"


class BodyIncomplete(BadRequest):
    """The body ended too soon, or its length is no number: send it again."""

    code = "body_incomplete"


class ProofRefused(MobileError):
    """The proof of possession of the device key is not valid. RFC 9449 §4.3."""

    code = "proof_refused"


class InvalidProof(ProofRefused):
    """The proof is missing, malformed, or signs another request."""

    code = "invalid_dpop_proof"


class NonceNeeded(ProofRefused):
    """The nonce is missing, used or expired. RFC 9449 §8."""

    code = "use_dpop_nonce"


class ClockSkew(ProofRefused):
    """The proof's time differs too much from the service's clock."""

    code = "clock_skew"


class DeviceRefused(MobileError):
    """This device may not do that."""

    code = "device_refused"


class DeviceUnknown(DeviceRefused):
    """The device key is not registered."""

    code = "device_unknown"


class DeviceUnbound(DeviceRefused):
    """The device belongs to no account, and this request needs one."""

    code = "device_unbound"


class PhoneNotTrusted(DeviceRefused):
    """The device is a new phone of its account, and this request needs a trusted one."""

    code = "phone_not_trusted"


class PhoneOwnsLater(DeviceRefused):
    """Waiting has just made the device trusted: it signs in, and changes nothing for days."""

    code = "phone_owns_later"


class StationRefused(DeviceRefused):
    """A station only answers sign-ins that begin in its own browser."""

    code = "station_refused"


class StationOutsideNetworks(DeviceRefused):
    """The station's request comes from none of its networks."""

    code = "station_elsewhere"


class StationCodeWrong(DeviceRefused):
    """The enrolment code is unknown, used or late, or the key was registered before."""

    code = "station_code_wrong"


class TooManyAttempts(DeviceRefused):
    """The device has presented too many palms today."""

    code = "too_many_attempts"

    def __init__(self, message: str, retry_after_s: int = 3600) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyRequests(MobileError):
    """Too many requests from one network or device."""

    code = "too_many_requests"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many requests from here: wait a moment")
        self.retry_after_s = retry_after_s


class ServiceBusy(MobileError):
    """Too many pictures are being processed."""

    code = "service_busy"


class EnrolmentRefused(MobileError):
    """The enrolment cannot continue."""

    code = "enrolment_refused"


class ConsentChanged(EnrolmentRefused):
    """The person agreed to a consent text that is not current."""

    code = "consent_changed"


class EnrolmentGone(EnrolmentRefused):
    """The enrolment is unknown, expired, or another device's; it does not say which."""

    code = "enrolment_gone"


class TooManySamples(EnrolmentRefused):
    """The enrolment has enough samples of this palm."""

    code = "too_many_samples"


class TooFewSamples(EnrolmentRefused):
    """The enrolment needs more samples of a palm."""

    code = "too_few_samples"


class SamplesRepeat(EnrolmentRefused):
    """The picture repeats an earlier one of this enrolment; the enrolment stays open."""

    code = "samples_repeat"


class SamplesDisagree(EnrolmentRefused):
    """Too few samples of a hand match each other: add others."""

    code = "samples_disagree"


class OnePalmTwice(EnrolmentRefused):
    """The samples of both hands show one palm. The enrolment is over: begin another."""

    code = "one_palm_twice"


class AlreadyEnrolled(EnrolmentRefused):
    """A palm already has an account; the answer does not say whose.

    Attributes:
        known: the hands of such palms.
        others: hands that finishing again enrols without them.
        dispute_code: shows the operator the account, if it is one other account.
    """

    code = "already_enrolled"

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

    code = "palm_mismatch"


class PalmDisputed(MobileError):
    """Two people claim this palm: for now it signs no account in here; another palm does."""

    code = "palm_disputed"


class PalmProofExpired(MobileError):
    """The palm proof is too old, or belongs to another device."""

    code = "palm_proof_expired"


class PhoneGone(MobileError):
    """The account has no such phone, or the phone asks for nothing any more."""

    code = "phone_gone"


class RecoveryCodeWrong(MobileError):
    """This is not the recovery code of the account."""

    code = "recovery_code_wrong"


class PasskeyRefused(MobileError):
    """The passkey's signature is not valid; the answer does not say why."""

    code = "passkey_refused"


class PasskeyNeeded(MobileError):
    """The device must authenticate with its passkey again first."""

    code = "passkey_needed"


class TemplateNotAccepted(MobileError):
    """A picture is needed: the phone is not trusted, or the service takes no templates."""

    code = "template_not_accepted"


class TemplateUnmatched(TemplateNotAccepted):
    """The template matches no account it may be compared with: send this palm as a picture."""

    code = "template_unmatched"


class ChallengeNeeded(MobileError):
    """The palm must be shown in a challenge, not as a picture or template."""

    code = "challenge_needed"


class MotionsCodeNeeded(MobileError):
    """Leaving out motions needs a trusted device, or a code of the operator."""

    code = "motions_code_needed"


class ChallengeFailed(MobileError):
    """The challenge failed and is over; ``reason`` says what a person can do better."""

    code = "challenge_failed"

    def __init__(self, reason: ChallengeFailure) -> None:
        super().__init__("the palm did not show what was asked: try again")
        self.reason = reason


class ChallengeGone(MobileError):
    """The challenge is unknown, over, used, or another device's."""

    code = "challenge_gone"


class ChallengeOff(MobileError):
    """This service asks for no challenges."""

    code = "challenge_off"


class WrongStep(MobileError):
    """The challenge does not wait for this step."""

    code = "wrong_state"


class NoSuchCode(MobileError):
    """No account has this code. Raised by commands only."""

    code = "no_such_code"


class StationFault(MobileError):
    """No station can be added or removed like this. Raised by commands only."""

    code = "station_fault"


class DeletionUnlisted(MobileError):
    """The account is erased, but not yet on the list of erasures. Raised by commands only."""

    code = "deletion_unlisted"


class AuditBroken(MobileError):
    """The audit log was changed. Raised by commands only."""

    code = "audit_broken"


class StorageFault(MobileError):
    """The database or its key cannot be used."""

    code = "storage_fault"


class NotMigrated(StorageFault):
    """The database schema is not the version that this program needs."""

    code = "not_migrated"


class KeyFileFault(StorageFault):
    """The key file is missing, malformed or readable by others."""

    code = "key_fault"


class ErasureListFault(StorageFault):
    """The list of erasures is missing, forged, shorter than counted, or cannot be written."""

    code = "erasure_list_fault"


class GalleryBehind(StorageFault):
    """The gallery has not followed the database for seconds."""

    code = "gallery_behind"


class UnknownExtractor(StorageFault):
    """References exist of an extractor that is not running: no palm would match them."""

    code = "unknown_extractor"


class DecryptionFailed(StorageFault):
    """A template cannot be decrypted: wrong key, wrong row, or changed bytes."""

    code = "seal_broken"


class SettingsFault(MobileError):
    """Settings contradict each other."""

    code = "settings_fault"


class ProcessesRun(MobileError):
    """Processes run that a command would break."""

    code = "processes_run"


class PhoneError(MobileError):
    """An error that the reference phone shows to its user."""

    code = "phone_error"


class PhoneRefused(PhoneError):
    """The service answered with an error: see ``messages.ErrorMessage``."""

    code = "phone_refused"
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

    code = "no_thenar_link"


class PhoneState(PhoneError):
    """The phone's state file is missing, damaged or readable by others."""

    code = "phone_state"


class ServiceUnreachable(PhoneError):
    """The service did not answer, or its answer is not valid."""

    code = "service_unreachable"
