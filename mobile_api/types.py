"""The values of the mobile API: phones, consent, enrolments, references as they are stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from engine.types import ExtractorId, Hand, PalmTemplate, ReferenceId
from oidc.types import AccountId

Clock = Callable[[], datetime]
"""Gives the time, aware and UTC. Only a composition root knows the real one."""

DeviceId = NewType("DeviceId", str)
"""RFC 7638 thumbprint of the phone's public key: 43 characters of base64url."""

EnrolmentId = NewType("EnrolmentId", str)
"""Names one pending enrolment. Not a secret: only the device that opened it may use it."""

CredentialId = NewType("CredentialId", bytes)
"""Names a passkey, as its authenticator chose: at most 1023 bytes. WebAuthn Level 3 §4."""

SampleId = NewType("SampleId", UUID)
"""One pending template of an enrolment. Random."""


class LogFormat(StrEnum):
    """How lines of the log are written."""

    TEXT = "text"
    JSON = "json"


class LoginPolicy(StrEnum):
    """Whose palm may answer a login for which the client named nobody."""

    IDENTIFY = "identify"
    """The device's own account first, then the whole gallery."""
    BOUND_DEVICE = "bound_device"
    """Only the account the device belongs to."""


class TemplateTrust(StrEnum):
    """From which phones a template answers a login.

    A forged one matches far more people than a picture can: it is compared with few.
    """

    OWN_DEVICE = "own_device"
    """Those that belong to an account, and with that account only; others send a picture."""
    ANY_DEVICE = "any_device"
    """All, and with everybody, as a picture."""


@dataclass(frozen=True, slots=True)
class Device:
    """A registered phone.

    Attributes:
        device_id: thumbprint of its key.
        name: what its owner calls it; shown to the owner only.
        account: whose it is; None until its first enrolment or login.
        network: keyed digest of where its request came from; None if that says nothing.
    """

    device_id: DeviceId
    name: str = field(repr=False)
    account: AccountId | None = field(repr=False)
    network: str | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class CapturedPalm:
    """What was seen of one palm at one time.

    Attributes:
        template: of the current extractor; a phone may also send one of the previous.
        previous: the previous extractor's of the same picture; None if it did not look.
        quality: of the picture, 0 to 100; None: the phone made the template.
    """

    template: PalmTemplate
    previous: PalmTemplate | None = None
    quality: int | None = None

    @property
    def hand(self) -> Hand:
        """The side of the body."""
        return self.template.hand

    @property
    def templates(self) -> list[PalmTemplate]:
        """All that there are, the current extractor's first."""
        return [self.template] if self.previous is None else [self.template, self.previous]


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """How often palms may be presented within a day. A search is one of the whole gallery.

    Attributes:
        submissions: palms of any result, of one device.
        failed_identifications: searches that matched nobody, of one device.
        network_submissions: palms of any result, from one network.
        network_failed: searches that matched nobody, from one network.
        strangers_failed: searches that matched nobody, in all; when they are used up, phones
            that belong to nobody wait. Owners' own phones are never held up by others.
    """

    submissions: int
    failed_identifications: int
    network_submissions: int
    network_failed: int
    strangers_failed: int


@dataclass(frozen=True, slots=True)
class Consent:
    """The text a person agrees to before a palm is enrolled.

    Attributes:
        version: names the text.
        text: what is shown, complete.
        sha256: lower-case hexadecimal digest of the UTF-8 text.
        support_email: whom to ask.
    """

    version: str
    text: str = field(repr=False)
    sha256: str
    support_email: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """Proof that a person agreed: which text, and when (aware, UTC)."""

    version: str
    sha256: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """How many samples of each palm."""

    left: int = 0
    right: int = 0

    def of(self, hand: Hand) -> int:
        """Return the count of one side."""
        return self.left if hand is Hand.LEFT else self.right


@dataclass(frozen=True, slots=True)
class PendingEnrolment:
    """An enrolment that is collecting samples, or has just been finished.

    Attributes:
        enrolment_id: its name.
        device_id: the only device that may use it.
        consent: what was agreed to.
        expires_at: when it is forgotten.
        enrolled: what was enrolled once it is finished, so that a phone which lost the answer
            may ask again; None while it is open.
    """

    enrolment_id: EnrolmentId
    device_id: DeviceId
    consent: ConsentGiven
    expires_at: datetime
    enrolled: SampleCounts | None


@dataclass(frozen=True, slots=True)
class EncryptedSample:
    """A template of a pending enrolment, encrypted."""

    sample_id: SampleId
    hand: Hand
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class EncryptedReference:
    """A reference as it is stored: who, which, made by what, and the encrypted template."""

    reference_id: ReferenceId
    account: AccountId = field(repr=False)
    extractor: ExtractorId
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey of an account. WebAuthn Level 3 §4, "credential record".

    Attributes:
        credential_id: its name.
        account: whose it is.
        user_handle: 32 random bytes that the authenticator keeps with it.
        rp_id: host name it was made for; it works nowhere else.
        public_key: as COSE_Key. RFC 9053.
        sign_count: what its authenticator counted last; 0 where it does not count.
    """

    credential_id: CredentialId = field(repr=False)
    account: AccountId = field(repr=False)
    user_handle: bytes = field(repr=False)
    rp_id: str
    public_key: bytes = field(repr=False)
    sign_count: int


@dataclass(frozen=True, slots=True)
class PasskeyAuthentication:
    """A passkey once stood for the key of a phone, and its person was verified.

    Attributes:
        credential_id: which passkey.
        rp_id: host name the passkey was made for.
        at: aware, UTC.
    """

    credential_id: CredentialId = field(repr=False)
    rp_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class GalleryChange:
    """One step of the gallery's history: the references of this account are not what they were.

    Attributes:
        sequence: 1, 2, 3 … in the order of the commits, without gaps.
        account: whose references changed.
    """

    sequence: int
    account: AccountId = field(repr=False)
