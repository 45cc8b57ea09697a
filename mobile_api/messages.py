"""Request and response bodies of the phone API; ``account_messages`` has those of accounts.

Requests reject unknown fields, and are bounded here and nowhere else. Responses may grow.
"""

import base64
import binascii
from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from engine.presentation_attack.challenge import Motion
from engine.types import Hand
from mobile_api.types import ChallengeId, Purpose
from oidc.types import Network, NextStep

API_PREFIX = "/mobile/v1"
"""Path of the API below the public URL."""

PAGE_PREFIX = "/m"
"""Path of the phone page below the public URL."""

STATION_PATH = "/station"
"""Where a browser is made a station: the same page."""

SAMPLE_LIMIT_BYTES = 12_000_000
"""Longest body with a picture."""

TEMPLATE_LIMIT_BYTES = 65_536
"""Longest body with a template."""

JSON_LIMIT_BYTES = 16_384
"""Longest JSON body."""

SAMPLE_TYPES = ("image/jpeg", "image/png", "image/webp")
"""Content types of pictures."""

TEMPLATE_TYPE = "application/vnd.thenar.template"
"""Content type of ``engine.template_codec``."""

BODY_HASH_CLAIM = "bh"
"""Claim of a proof: base64url SHA-256 of the body."""

PROOF_HEADER = "DPoP"
"""RFC 9449 §4."""

NONCE_HEADER = "DPoP-Nonce"
"""RFC 9449 §8."""

PROOF_TYPE = "dpop+jwt"
"""``typ`` of a proof."""

Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]
"""A random identifier made by this service."""


def base64url_decode(text: str) -> bytes:
    """RFC 4648 §5, without padding. Raises ValueError."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as fault:
        raise ValueError("not base64url") from fault


def base64url_encode(octets: bytes) -> str:
    """RFC 4648 §5, without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _check_base64url(text: str) -> str:
    base64url_decode(text)
    return text


_OCTETS = r"^[A-Za-z0-9_-]+$"

ShortOctets = Annotated[
    str, Field(pattern=_OCTETS, max_length=1_400), AfterValidator(_check_base64url)
]
"""Base64url of at most 1,050 bytes, such as a credential id."""

LongOctets = Annotated[
    str, Field(pattern=_OCTETS, max_length=6_000), AfterValidator(_check_base64url)
]
"""Base64url of at most 4,500 bytes."""

Label = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,64}$")]
"""One line of text without control characters."""


Extractors = Annotated[
    list[str], Field(description="Whose templates this phone may send here; empty: none.")
]


class Message(BaseModel):
    """A body. Its text shows no value: many are tickets, proofs or codes."""

    def __repr_args__(self) -> Iterator[tuple[str, object]]:
        """Return no field."""
        return iter(())


class RequestMessage(Message):
    """Base of request bodies."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AnswerMessage(Message):
    """Base of response bodies."""

    model_config = ConfigDict(frozen=True)


class ErrorMessage(AnswerMessage):
    """Body of every error response."""

    error: str = Field(description="Stable code.")
    hint: str | None = Field(default=None, description="Next step of a login.")
    reason: str | None = Field(
        default=None, description="Which quality gate failed, or why a challenge did."
    )
    message: str = Field(description="Text for people, in English.")
    dispute_code: str | None = Field(
        default=None, description="With already_enrolled: shows the operator what is disputed."
    )
    others: list[Hand] | None = Field(
        default=None,
        description="With already_enrolled: palms of no account; finishing again enrols them.",
    )


class ConsentMessage(AnswerMessage):
    """The consent text: paragraphs, and headings that begin with ``# ``."""

    version: str
    language: str = Field(description="RFC 5646. English where the wanted one is missing.")
    text: str
    sha256: str = Field(description="Of the UTF-8 text, hexadecimal.")
    support_email: str


class EarlierKeyMessage(AnswerMessage):
    """Whether this browser had the key of a trusted phone."""

    known: bool


class RegisterDevice(RequestMessage):
    """Registers a phone, whose key is in the proof."""

    name: Label = Field(examples=["Maya’s phone"])


class DeviceMessage(AnswerMessage):
    """A registered phone."""

    device_id: str = Field(description="RFC 7638 thumbprint of its key.")


class EnrolStation(RequestMessage):
    """Makes a browser a station, whose key is in the proof."""

    code: Annotated[str, Field(max_length=64)]


class StationMessage(AnswerMessage):
    """A station; the response sets its cookie."""

    name: str


class OpenEnrolment(RequestMessage):
    """Starts an enrolment and accepts the consent text."""

    consent_version: Annotated[str, Field(max_length=32)]
    consent_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class EnrolmentMessage(AnswerMessage):
    """An enrolment that waits for samples."""

    enrolment_id: str
    expires_in: int = Field(description="Seconds.")
    samples_needed: int = Field(description="Of each palm that is to be enrolled.")
    challenge: bool = Field(description="Whether palms must be shown in a challenge.")
    extractors: Extractors


class CountsMessage(AnswerMessage):
    """A count for each palm."""

    left: int
    right: int


class SampleMessage(AnswerMessage):
    """A sample was stored for the pending enrolment; it may match no other."""

    hand: Hand
    quality: int | None = Field(description="0 to 100; null for a template.")
    samples: CountsMessage = Field(description="Of each palm, those that match each other.")
    counted: bool = Field(
        description="Whether it is one of them; if not, show the same palm again."
    )


class EnrolledMessage(AnswerMessage):
    """The palms are enrolled and the phone belongs to their account."""

    enrolled: CountsMessage
    palm_proof: str = Field(repr=False, description="Palm proof for the next minutes.")


class RequestOriginMessage(AnswerMessage):
    """The browser that started the login, by its own description: coarse and not verified."""

    browser: str | None = Field(examples=["Firefox"])
    system: str | None = Field(examples=["Windows"])
    network: Network = Field(
        description="Whether browser and phone are in one network, by address."
    )


class OpenLogin(RequestMessage):
    """Claims a login with the ticket of a QR code."""

    ticket: Token


class LoginMessage(AnswerMessage):
    """Which client asks for the login, what for, from where and since when."""

    login_id: str
    client_name: str
    client_host: str
    scope: list[str]
    expires_in: int = Field(description="Seconds.")
    hint: NextStep
    page_url: str = Field(description="URL of the login page in that browser.")
    asked_from: RequestOriginMessage
    asked_ago: int = Field(description="Seconds since the login started.")
    asks_code: bool = Field(description="Whether the browser may ask for a code.")
    requires_trusted_phone: bool = Field(
        description="Whether a palm alone does not sign in to this app."
    )
    registered_itself: bool = Field(
        description="Whether the client's name is unchecked: show it as such."
    )
    client_logo: str | None = Field(description="URL of a PNG. It proves nothing.")
    verifies: bool = Field(
        description="Whether the app named the person whom it wants to see again."
    )
    challenge: bool = Field(description="Whether the palm must be shown in a challenge.")
    extractors: Extractors


class BeginChallenge(RequestMessage):
    """Asks for a challenge."""

    purpose: Annotated[Purpose, Field(strict=False)]
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = Field(
        default=None, description="Of the login or enrolment that it is for."
    )
    hand: Annotated[Hand, Field(strict=False)] | None = Field(
        default=None, description="The only hand that will be shown."
    )
    cannot: Annotated[
        list[Annotated[Motion, Field(strict=False)]], Field(max_length=len(Motion))
    ] = Field(
        default_factory=list,
        description="Motions that the person cannot do; two others are needed. They count on"
        " a trusted phone, for its own account, or with a code.",
    )
    motions_code: Annotated[str, Field(max_length=64)] = Field(
        default="", description="The operator's code for leaving out motions."
    )


class OutlineMessage(AnswerMessage):
    """Where the open palm has to be."""

    x: float = Field(description="Mean of wrist and landmarks 5 and 17, of the width.")
    y: float = Field(description="The same, of the height.")
    size: float = Field(description="Distance of landmarks 5 and 17, of the shorter side.")


class StepMessage(AnswerMessage):
    """One thing to do, after an open relaxed hand and before it."""

    number: int = Field(description="From 1.")
    motion: Motion
    outline: OutlineMessage
    hold_ms: int = Field(description="How long the motion is held.")
    tilt_deg: float | None = Field(
        description="Where the open hand is tilted to at the end, 0 right, 90 up; null: not."
    )
    answer_within_ms: int


class ChallengeMessage(AnswerMessage):
    """A challenge and its first step; the next is sent when this one was answered."""

    challenge_id: str
    steps: int
    step: StepMessage


class ChallengeStepMessage(AnswerMessage):
    """The next step, or that all were passed."""

    step: StepMessage | None = None
    passed: bool = False


class ShowChallenge(RequestMessage):
    """Uses a challenge that was just passed, in place of a picture."""

    challenge: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]

    @property
    def challenge_id(self) -> ChallengeId:
        """Its identifier."""
        return ChallengeId(UUID(self.challenge))


class PalmMessage(AnswerMessage):
    """Result of a palm. No response ever contains a score."""

    hint: NextStep
    attempts_left: int | None = Field(None, description="Present with palm_retry.")
    familiar: bool = Field(
        default=False,
        description="With wait_approve: this person's own browser asks, in this network,"
        " without naming an account. The phone may approve without asking again.",
    )
    palm_proof: str | None = Field(
        None,
        repr=False,
        description="With phone_not_trusted: answers this login when the phone is trusted.",
    )


class StateMessage(AnswerMessage):
    """State of a login."""

    hint: NextStep
    expires_in: int = Field(description="Seconds; 0 when it is over.")
    confirmation_code: str | None = Field(
        None, description="Show it large while the browser waits for it."
    )


class HintMessage(AnswerMessage):
    """A login was declined or reported."""

    hint: NextStep
