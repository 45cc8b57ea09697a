"""Values of the mobile API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType
from uuid import UUID

from engine.types import Hand, PalmTemplate
from oidc.types import AccountId

Clock = Callable[[], datetime]
"""Returns the time, aware and UTC."""

DeviceId = NewType("DeviceId", str)
"""RFC 7638 thumbprint of the device key, 43 characters."""

EnrolmentId = NewType("EnrolmentId", str)
"""Not secret: only the device that opened the enrolment may use it."""

CredentialId = NewType("CredentialId", bytes)
"""Names a passkey, chosen by its authenticator: at most 1023 bytes. WebAuthn Level 3 §4."""

SampleId = NewType("SampleId", UUID)
"""Random."""

ChallengeId = NewType("ChallengeId", UUID)
"""128 random bits. Not secret: only the phone that requested the challenge may use it."""


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
    """Which devices may send templates; others send pictures.

    A forged template can match far more people than a picture.
    """

    OWN_DEVICE = "own_device"
    """Trusted phones; in a login against their own account only."""
    ANY_DEVICE = "any_device"
    """Every device, against everybody, like a picture."""


class Purpose(StrEnum):
    """The purpose of a challenge."""

    LOGIN = "login"
    ENROLMENT = "enrolment"
    PALM_PROOF = "palm_proof"
    """Any other request that takes a palm."""


class ChallengeFailure(StrEnum):
    """Why a challenge failed, in words that a person can act on."""

    NOT_FOLLOWED = "not_followed"
    TOO_LATE = "too_late"
    CANNOT_TELL = "cannot_tell"
    NOT_ONE_HAND = "not_one_hand"


class PhoneTrust(StrEnum):
    """A phone's rights on an account."""

    NONE = "none"
    """It belongs to no account."""
    NEW = "new"
    """Bound by a palm alone: it is no second factor."""
    TRUSTED = "trusted"
    """It enrolled the account, was approved, used a passkey or recovery code, or waited."""


class StationChallenge(StrEnum):
    """A station's demand on a palm; its operator answers for the camera."""

    HAND = "hand"
    """A moving hand, as on a new phone, where attack detection is on."""
    NONE = "none"
    """One picture."""


class TrustByWaiting(StrEnum):
    """Which accounts may trust a new phone because no trusted phone refused it for days."""

    NEVER = "never"
    LAST_RESORT = "last_resort"
    """Those that have neither a passkey nor a recovery code."""
    ALWAYS = "always"


class TrustWay(StrEnum):
    """How a phone becomes trusted, beside its palm; best first."""

    PASSKEY = "passkey"
    PHONE = "phone"
    CODE = "code"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Networks:
    """Keyed digests of the networks that an address is in, by growing prefix.

    Attributes:
        narrow: an IPv4 address, or 56 bits of IPv6.
        wide: 24 bits of IPv4, or 48 of IPv6.
        widest: 16 bits of IPv4, or 32 of IPv6.
    """

    narrow: str = field(repr=False)
    wide: str = field(repr=False)
    widest: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Station:
    """A browser of the operator's, at which people sign in without a phone.

    Attributes:
        networks: the only ones that it works in, separated by commas; empty: any.
        is_enrolled: whether a browser has used its code.
        cookie_digest: of the secret in that browser's cookie.
        used_on: day of its last sign-in, aware, UTC.
    """

    name: str
    networks: str = ""
    challenge: StationChallenge = StationChallenge.HAND
    is_enrolled: bool = False
    cookie_digest: bytes | None = field(repr=False, default=None)
    used_on: datetime | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """A registered phone.

    Attributes:
        name: shown only to its owner.
        account: None until the first enrolment or login.
        networks: of this request, if known.
        registered_on: the day, aware, UTC; None where it does not matter.
        station: None for phones. A station belongs to no account.
        owns_from: until then it only signs in, because waiting made it trusted; None: it owns.
        earlier: the key that the cookie of its browser names, which proves nothing.
    """

    device_id: DeviceId
    name: str = field(repr=False)
    account: AccountId | None = field(repr=False)
    networks: Networks | None = field(repr=False, default=None)
    trust: PhoneTrust = PhoneTrust.NONE
    registered_on: datetime | None = None
    station: Station | None = None
    owns_from: datetime | None = None
    earlier: DeviceId | None = None

    @property
    def is_trusted(self) -> bool:
        """Whether it counts as a factor of its account."""
        return self.trust is PhoneTrust.TRUSTED

    def is_known(self, since: datetime) -> bool:
        """Return whether it was registered before then; who enrols is trusted at once."""
        registered_on = self.registered_on
        return registered_on is not None and registered_on + timedelta(days=1) <= since


class NoticeKind(StrEnum):
    """Events that the owner's phones show."""

    NEW_PHONE = "new_phone"
    PALM_DISPUTED = "palm_disputed"
    PALM_RELEASED = "palm_released"
    PHONE_TRUSTED = "phone_trusted"
    PASSKEY_ADDED = "passkey_added"
    CODE_TAKEN = "code_taken"


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """Where a browser takes messages of Web Push. W3C Push API §8.

    Attributes:
        endpoint: URL at its push service; who knows it may try to send to it.
        key: the browser's P-256 point, 65 bytes.
        auth: the browser's secret, 16 bytes. RFC 8291 §3.2.
    """

    endpoint: str = field(repr=False)
    key: bytes = field(repr=False)
    auth: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CapturedPalm:
    """The templates made from one palm at one time.

    Attributes:
        previous: of the extractor that is migrated from, made of the same picture.
        quality: 0 to 100; None if the phone made the template.
        owner_alone: whether it counts for the phone's own account only.
        more: of other frames of the same attempt, by either extractor.
    """

    template: PalmTemplate
    previous: PalmTemplate | None = None
    quality: int | None = None
    owner_alone: bool = False
    more: Sequence[PalmTemplate] = ()

    @classmethod
    def of(cls, templates: Sequence[PalmTemplate]) -> CapturedPalm:
        """Return the palm with these templates, the current extractor's first."""
        return cls(templates[0], next(iter(templates[1:]), None))

    def with_frames(self, others: Sequence[CapturedPalm]) -> CapturedPalm:
        """Return this palm with the other frames of an attempt that show the same hand."""
        same = [each for each in others if each.hand is self.hand]
        return replace(self, more=[one for each in same for one in each.templates])

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
    """How many palms may be presented on a day (UTC): see the settings of these names.

    Attributes:
        new_networks_failed: the part of ``total_failed`` for networks that hardly asked.
    """

    submissions: int
    failed_identifications: int
    network_submissions: int
    network_failed: int
    network_wide_failed: int
    network_widest_failed: int
    total_failed: int
    new_networks_failed: int


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """Number of samples of each palm."""

    left: int = 0
    right: int = 0

    def of(self, hand: Hand) -> int:
        """Return the count of one hand."""
        return self.left if hand is Hand.LEFT else self.right
