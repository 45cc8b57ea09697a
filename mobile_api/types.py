"""Values of the mobile API: devices, captured palms, consent, enrolments, references."""

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
"""Returns the current time, aware and UTC. Only a composition root knows the real one."""

DeviceId = NewType("DeviceId", str)
"""RFC 7638 thumbprint of the phone's public key: 43 characters of base64url."""

EnrolmentId = NewType("EnrolmentId", str)
"""Names a pending enrolment. Not secret: only the device that opened it may use it."""

CredentialId = NewType("CredentialId", bytes)
"""Names a passkey, chosen by its authenticator: at most 1023 bytes. WebAuthn Level 3 §4."""

SampleId = NewType("SampleId", UUID)
"""Names one template of a pending enrolment. Random."""


class LogFormat(StrEnum):
    """Format of log lines."""

    TEXT = "text"
    JSON = "json"


class LoginPolicy(StrEnum):
    """Whose palm may answer a login that names no account."""

    IDENTIFY = "identify"
    """The device's own account first, then the whole gallery."""
    BOUND_DEVICE = "bound_device"
    """Only the account that the device belongs to."""


class TemplateTrust(StrEnum):
    """Which devices may answer a login with a template.

    A forged template can match far more people than a picture, so it is compared with few.
    """

    OWN_DEVICE = "own_device"
    """Devices of an account, against that account only. Others must send a picture."""
    ANY_DEVICE = "any_device"
    """Every device, against everybody, like a picture."""


@dataclass(frozen=True, slots=True)
class Device:
    """A registered phone.

    Attributes:
        device_id: RFC 7638 thumbprint of its key.
        name: chosen by its owner, shown only to them.
        account: None until the first enrolment or login.
        network: keyed digest of the network of this request; None if the address has none.
    """

    device_id: DeviceId
    name: str = field(repr=False)
    account: AccountId | None = field(repr=False)
    network: str | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class CapturedPalm:
    """The templates made from one palm at one time.

    Attributes:
        template: of the current extractor. A phone may also send one of the previous extractor.
        previous: of the previous extractor from the same picture, during a migration only.
        quality: of the picture, 0 to 100; None if the phone made the template.
    """

    template: PalmTemplate
    previous: PalmTemplate | None = None
    quality: int | None = None

    @property
    def hand(self) -> Hand:
        """Left or right."""
        return self.template.hand

    @property
    def templates(self) -> list[PalmTemplate]:
        """All templates, the current extractor's first."""
        return [self.template] if self.previous is None else [self.template, self.previous]


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """How many palms may be presented within 24 hours.

    Attributes:
        submissions: palms from one device, whatever the result.
        failed_identifications: searches without a match from one device.
        network_submissions: palms from one network, whatever the result.
        network_failed: searches without a match from one network.
        strangers_failed: searches without a match in total. Beyond it, devices without an
            account wait; owners' devices never wait because of others.
    """

    submissions: int
    failed_identifications: int
    network_submissions: int
    network_failed: int
    strangers_failed: int


@dataclass(frozen=True, slots=True)
class Consent:
    """The text that a person agrees to before enrolment.

    Attributes:
        sha256: digest of the UTF-8 text, lower-case hexadecimal.
    """

    version: str
    text: str = field(repr=False)
    sha256: str
    support_email: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """Which consent text a person agreed to, and when (aware, UTC)."""

    version: str
    sha256: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """Number of samples of each palm."""

    left: int = 0
    right: int = 0

    def of(self, hand: Hand) -> int:
        """Return the count of one hand."""
        return self.left if hand is Hand.LEFT else self.right


@dataclass(frozen=True, slots=True)
class PendingEnrolment:
    """An enrolment that collects samples, or was just finished.

    Attributes:
        device_id: the only device that may use it.
        enrolled: what was enrolled, once finished, so that a phone that lost the response may
            ask again.
    """

    enrolment_id: EnrolmentId
    device_id: DeviceId
    consent: ConsentGiven
    expires_at: datetime
    enrolled: SampleCounts | None


@dataclass(frozen=True, slots=True)
class EncryptedSample:
    """An encrypted template of a pending enrolment."""

    sample_id: SampleId
    hand: Hand
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class EncryptedReference:
    """A stored reference: account, extractor and encrypted template."""

    reference_id: ReferenceId
    account: AccountId = field(repr=False)
    extractor: ExtractorId
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey of an account: the "credential record" of WebAuthn Level 3 §4.

    Attributes:
        user_handle: 32 random bytes that the authenticator stores with it.
        rp_id: host name that it was created for; it works for no other.
        public_key: COSE_Key. RFC 9053.
        sign_count: last signature counter; 0 if the authenticator has none.
    """

    credential_id: CredentialId = field(repr=False)
    account: AccountId = field(repr=False)
    user_handle: bytes = field(repr=False)
    rp_id: str
    public_key: bytes = field(repr=False)
    sign_count: int


@dataclass(frozen=True, slots=True)
class PasskeyAuthentication:
    """The last time that a device was authenticated with a passkey.

    Attributes:
        rp_id: host name that the passkey was created for.
        at: aware, UTC.
    """

    credential_id: CredentialId = field(repr=False)
    rp_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class GalleryChange:
    """A change of an account's references, in the order of the commits.

    Attributes:
        sequence: 1, 2, 3 … without gaps.
    """

    sequence: int
    account: AccountId = field(repr=False)
