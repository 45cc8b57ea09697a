"""Every fault of the mobile API, and of its reference phone.

::

    MobileError
    ├── BadRequest                the request itself is wrong
    │   ├── InvalidRequest        fields missing, too long, unknown or not what they should be
    │   ├── WrongContentType      a body of a kind this address does not take
    │   └── BodyTooLarge          more bytes than this address takes
    ├── ProofRefused              the request is not proved to come from a device key
    │   ├── InvalidProof          the proof is missing, malformed, or signs something else
    │   ├── NonceNeeded           its nonce is missing, used or expired: take a fresh one
    │   └── ClockSkew             its time is too far from ours
    ├── DeviceRefused
    │   ├── DeviceUnknown         the key is not registered
    │   ├── DeviceUnbound         it belongs to no account, and the policy asks for one
    │   └── TooManyAttempts       it has used up its palms for today
    ├── TooManyRequests           more requests in a minute than are taken; knows when to return
    ├── ServiceBusy               too many pictures at once: try again
    ├── EnrolmentRefused
    │   ├── ConsentChanged        not the consent text of today
    │   ├── EnrolmentGone         unknown, expired, or another device's
    │   ├── TooManySamples        enough samples of this palm
    │   ├── TooFewSamples         not enough samples of a palm
    │   ├── SamplesDisagree       not all of one palm, or both palms are one
    │   └── AlreadyEnrolled       the palm has an account; whose is not said
    ├── PalmProofExpired          too long since a palm was shown
    ├── PasskeyRefused            what a passkey signed is not what it had to sign
    ├── PasskeyNeeded             the passkey of this phone has to vouch for it again
    ├── PalmMismatch              not the palm this device's account needs
    ├── TemplateNotAccepted       the operator demands pictures
    ├── NoSuchCode                not the deletion code of any account
    ├── DeletionUnlisted          erased, but not on the list that restored backups are held to
    ├── AuditBroken               the audit log is not what was written
    ├── StorageFault
    │   ├── NotMigrated           the database is not at the version this program needs
    │   ├── KeyFileFault          the key file is missing, malformed or readable by others
    │   ├── GalleryBehind         the gallery does not follow the database
    │   ├── UnknownExtractor      people are enrolled by an extractor that is not this one
    │   └── DecryptionFailed      a stored template does not open: wrong key, or tampered with
    ├── SettingsFault             settings that contradict each other
    └── PhoneError                raised by the reference phone, never by the service
        ├── PhoneRefused          the service answered with an error
        ├── NoThenarLink          the link is none that a Thenar QR code holds
        ├── PhoneState            the phone's own file is missing, damaged or readable by others
        └── ServiceUnreachable    no answer, or none that can be understood

Each class has a stable ``code``, which is what the ``error`` field of an answer holds. No
message repeats anything a request contained.
"""

from __future__ import annotations

from typing import ClassVar


class MobileError(Exception):
    """Any fault of the mobile API."""

    code: ClassVar[str] = "mobile_error"


class BadRequest(MobileError):
    """The request itself is wrong."""

    code = "request_refused"


class InvalidRequest(BadRequest):
    """Fields are missing, too long, unknown or not what they should be."""

    code = "invalid_request"


class WrongContentType(BadRequest):
    """The body is of a kind this address does not take."""

    code = "wrong_content_type"


class BodyTooLarge(BadRequest):
    """The body has more bytes than this address takes."""

    code = "body_too_large"


class ProofRefused(MobileError):
    """The request is not proved to come from a device key. RFC 9449 §4.3."""

    code = "proof_refused"


class InvalidProof(ProofRefused):
    """The proof is missing, malformed, or signs something else than this request."""

    code = "invalid_dpop_proof"


class NonceNeeded(ProofRefused):
    """The nonce is missing, used or expired. RFC 9449 §8."""

    code = "use_dpop_nonce"


class ClockSkew(ProofRefused):
    """The proof's time is too far from ours: the phone's clock is wrong."""

    code = "clock_skew"


class DeviceRefused(MobileError):
    """This device may not do that."""

    code = "device_refused"


class DeviceUnknown(DeviceRefused):
    """The key is not registered."""

    code = "device_unknown"


class DeviceUnbound(DeviceRefused):
    """The device belongs to no account, and what was asked needs one."""

    code = "device_unbound"


class TooManyAttempts(DeviceRefused):
    """The device has used up its palms for today."""

    code = "too_many_attempts"


class TooManyRequests(MobileError):
    """More requests than are taken from one place.

    Args:
        retry_after_s: seconds until there is room again.
    """

    code = "too_many_requests"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many requests from here: wait a moment")
        self.retry_after_s = retry_after_s


class ServiceBusy(MobileError):
    """Too many pictures are being looked at."""

    code = "service_busy"


class EnrolmentRefused(MobileError):
    """The enrolment cannot go on."""

    code = "enrolment_refused"


class ConsentChanged(EnrolmentRefused):
    """What was agreed to is not the consent text of today."""

    code = "consent_changed"


class EnrolmentGone(EnrolmentRefused):
    """The enrolment is unknown, expired, or another device's: nothing tells which."""

    code = "enrolment_gone"


class TooManySamples(EnrolmentRefused):
    """There are enough samples of this palm."""

    code = "too_many_samples"


class TooFewSamples(EnrolmentRefused):
    """There are not enough samples of a palm."""

    code = "too_few_samples"


class SamplesDisagree(EnrolmentRefused):
    """The samples are not all of one palm, or the right palm is the left one."""

    code = "samples_disagree"


class AlreadyEnrolled(EnrolmentRefused):
    """The palm has an account already."""

    code = "already_enrolled"


class PalmMismatch(MobileError):
    """Not a palm of the account this device belongs to."""

    code = "palm_mismatch"


class PalmProofExpired(MobileError):
    """Too long since a palm was shown, or it was shown to another phone."""

    code = "palm_proof_expired"


class PasskeyRefused(MobileError):
    """What a passkey signed is not what it had to sign; nothing tells what was wrong."""

    code = "passkey_refused"


class PasskeyNeeded(MobileError):
    """The passkey of this phone has to vouch for it again, before that is done."""

    code = "passkey_needed"


class TemplateNotAccepted(MobileError):
    """The operator demands pictures."""

    code = "template_not_accepted"


class NoSuchCode(MobileError):
    """Not the deletion code of any account. Raised by a command, never to a phone."""

    code = "no_such_code"


class DeletionUnlisted(MobileError):
    """An account is erased, but not yet on the list that restored backups are held to."""

    code = "deletion_unlisted"


class AuditBroken(MobileError):
    """The audit log is not what was written. Raised by a command, never to a phone."""

    code = "audit_broken"


class StorageFault(MobileError):
    """The database or its key cannot be used."""

    code = "storage_fault"


class NotMigrated(StorageFault):
    """The database is not at the version this program needs."""

    code = "not_migrated"


class KeyFileFault(StorageFault):
    """The key file is missing, malformed or readable by others."""

    code = "key_fault"


class GalleryBehind(StorageFault):
    """The gallery was not brought up to date with the database for seconds."""

    code = "gallery_behind"


class UnknownExtractor(StorageFault):
    """References are of an extractor this service does not run: their people would be lost."""

    code = "unknown_extractor"


class DecryptionFailed(StorageFault):
    """A stored template does not open: another key, another place, or tampered with."""

    code = "seal_broken"


class SettingsFault(MobileError):
    """Settings contradict each other."""

    code = "settings_fault"


class PhoneError(MobileError):
    """A fault the reference phone shows to its user."""

    code = "phone_error"


class PhoneRefused(PhoneError):
    """The service answered with an error.

    Args:
        status: HTTP status.
        error: the answer's ``error``.
        hint: the answer's ``hint``, if it has one.
        reason: the answer's ``reason``, if it has one.
        message: the answer's text for people.
    """

    code = "phone_refused"

    def __init__(
        self, status: int, error: str, hint: str | None, reason: str | None, message: str
    ) -> None:
        super().__init__(message or error)
        self.status, self.error, self.hint, self.reason = status, error, hint, reason


class NoThenarLink(PhoneError):
    """The link is none that a Thenar QR code holds."""

    code = "no_thenar_link"


class PhoneState(PhoneError):
    """The phone's own file is missing, damaged or readable by others."""

    code = "phone_state"


class ServiceUnreachable(PhoneError):
    """The service gave no answer, or none that can be understood."""

    code = "service_unreachable"
