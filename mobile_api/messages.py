"""The bodies on the wire. Requests refuse unknown fields; answers may grow.

What a request may hold is bounded here, once: lengths, characters, nothing else beside.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from engine.types import Hand
from oidc.types import Network, NextStep

API_PREFIX = "/mobile/v1"
"""Where the API lies under the public address."""

PAGE_PREFIX = "/m"
"""Where the page behind the QR code lies under the public address."""

SAMPLE_LIMIT_BYTES = 12_000_000
"""Longest body that holds a picture."""

TEMPLATE_LIMIT_BYTES = 65_536
"""Longest body that holds a template."""

JSON_LIMIT_BYTES = 16_384
"""Longest body that holds JSON."""

SAMPLE_TYPES = ("image/jpeg", "image/png", "image/webp")
"""Content types of a picture."""

TEMPLATE_TYPE = "application/vnd.thenar.template"
"""Content type of a template made on the phone: the bytes of ``engine.template_codec``."""

BODY_HASH_CLAIM = "bh"
"""Claim of a proof: base64url of the SHA-256 of the body, also of an empty one."""

PROOF_HEADER = "DPoP"
"""Header that carries the proof. RFC 9449 §4."""

NONCE_HEADER = "DPoP-Nonce"
"""Header of every answer: a fresh nonce for the next proof. RFC 9449 §8."""

PROOF_TYPE = "dpop+jwt"
"""``typ`` of a proof."""

Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]
"""A random identifier as this service writes them."""


def base64url_decode(text: str) -> bytes:
    """Return the bytes that base64url without padding stands for. RFC 4648 §5.

    Raises:
        ValueError: it is none.
    """
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as fault:
        raise ValueError("no base64url") from fault


def base64url_encode(octets: bytes) -> str:
    """Return base64url without padding. RFC 4648 §5."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _check_base64url(text: str) -> str:
    base64url_decode(text)
    return text


_OCTETS = r"^[A-Za-z0-9_-]+$"

ShortOctets = Annotated[
    str, Field(pattern=_OCTETS, max_length=1_400), AfterValidator(_check_base64url)
]
"""Base64url of about a kilobyte at most, as the names of passkeys may have."""

LongOctets = Annotated[
    str, Field(pattern=_OCTETS, max_length=6_000), AfterValidator(_check_base64url)
]
"""Base64url of some kilobytes at most."""

Label = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,64}$")]
"""One line of text without control characters."""


class RequestMessage(BaseModel):
    """A body that comes in."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AnswerMessage(BaseModel):
    """A body that goes out."""

    model_config = ConfigDict(frozen=True)


class ErrorMessage(AnswerMessage):
    """Every answer that is no success."""

    error: str = Field(description="Stable code.", examples=["quality_too_low"])
    hint: str | None = Field(None, description="What to do next, of a login.")
    reason: str | None = Field(
        None, description="Which quality gate failed.", examples=["too_dark"]
    )
    message: str = Field(description="Text for people, in English.")


class ConsentMessage(AnswerMessage):
    """The text a person must agree to before enrolling."""

    version: str
    text: str
    sha256: str = Field(description="Of the UTF-8 text, hexadecimal.")
    support_email: str


class RegisterDevice(RequestMessage):
    """A new phone introduces itself; its key is in the proof."""

    name: Label = Field(examples=["Maya’s phone"])


class DeviceMessage(AnswerMessage):
    """A phone is registered."""

    device_id: str = Field(description="RFC 7638 thumbprint of its key.")


class OpenEnrolment(RequestMessage):
    """A person agrees to the consent text and begins."""

    consent_version: Annotated[str, Field(max_length=32)]
    consent_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class EnrolmentMessage(AnswerMessage):
    """An enrolment waits for samples."""

    enrolment_id: str
    expires_in: int = Field(description="Seconds.")
    samples_needed: int = Field(description="Of each palm that is to be enrolled.")


class CountsMessage(AnswerMessage):
    """A number for each palm."""

    left: int
    right: int


class SampleMessage(AnswerMessage):
    """A sample was good enough to be kept until the enrolment is finished."""

    hand: Hand
    quality: int | None = Field(description="0 to 100; null for a template.")
    samples: CountsMessage


class EnrolledMessage(AnswerMessage):
    """The palms are enrolled and the phone belongs to their account."""

    enrolled: CountsMessage
    palm_proof: str = Field(repr=False, description="Stands for the palm for a while.")


class RequestOriginMessage(AnswerMessage):
    """What the browser that began says of itself, and where it is: coarse, and no proof."""

    browser: str | None = Field(examples=["Firefox"])
    system: str | None = Field(examples=["Windows"])
    network: Network = Field(description="Whether it is the phone's network, by addresses.")


class OpenLogin(RequestMessage):
    """A phone shows the ticket of a QR code."""

    ticket: Token


class LoginMessage(AnswerMessage):
    """Who asks for the palm, for what, from where and since when."""

    login_id: str
    client_name: str
    client_host: str
    scope: list[str]
    expires_in: int = Field(description="Seconds.")
    hint: NextStep
    page_url: str = Field(description="The browser's page, for whoever is in that browser.")
    asked_from: RequestOriginMessage
    asked_ago: int = Field(description="Seconds since the browser began.")
    asks_code: bool = Field(description="Whether the browser may have to type a code.")


class PalmMessage(AnswerMessage):
    """What a palm gave. There is no score, in no answer."""

    hint: NextStep
    attempts_left: int | None = Field(None, description="Present with palm_retry.")


class StateMessage(AnswerMessage):
    """Where a login stands."""

    hint: NextStep
    expires_in: int = Field(description="Seconds; 0 when it is over.")
    confirmation_code: str | None = Field(
        None, description="To be shown, large, while the browser waits for it."
    )


class HintMessage(AnswerMessage):
    """A login is declined or reported."""

    hint: NextStep


class ConnectionMessage(AnswerMessage):
    """An app that knows this person, by a pseudonym of its own."""

    handle: str = Field(description="Names it here, and nowhere else.")
    client_name: str
    client_host: str
    since: int = Field(description="Seconds since 1970.")


class ConnectionsMessage(AnswerMessage):
    """The apps that know this person; the latest first."""

    connections: list[ConnectionMessage]


class VerifiedConnectionsMessage(ConnectionsMessage):
    """The same, after a palm: with what stands for it for a while."""

    palm_proof: str
    expires_in: int = Field(description="Seconds.")


class WithdrawConnection(RequestMessage):
    """A person takes themselves back from one app."""

    palm_proof: Token


class PalmProofMessage(AnswerMessage):
    """The palm was this phone's: what stands for it for a while."""

    palm_proof: str = Field(repr=False)
    expires_in: int = Field(description="Seconds.")


class BeginPasskey(RequestMessage):
    """A phone that has just shown its palm wants a passkey."""

    palm_proof: Token


class CreatePasskeyMessage(AnswerMessage):
    """What a passkey is to be made from. WebAuthn Level 3 §5.4."""

    rp_id: str
    challenge: str
    user_handle: str = Field(description="Random; names nobody.")
    algorithms: list[int] = Field(description="COSE numbers, the preferred one first.")
    exclude: list[str] = Field(description="Passkeys that are known: not another beside them.")
    expires_in: int = Field(description="Seconds.")


class AddPasskey(RequestMessage):
    """A passkey was made. WebAuthn Level 3 §5.2.1."""

    challenge: ShortOctets
    client_data: LongOctets = Field(description="clientDataJSON")
    attestation: LongOctets = Field(description="attestationObject")


class PasskeyMessage(AnswerMessage):
    """A passkey is kept."""

    credential_id: str


class PasskeyChallengeMessage(AnswerMessage):
    """What a passkey has to sign, to vouch for this phone. WebAuthn Level 3 §5.5."""

    rp_id: str
    challenge: str
    allow: list[str] = Field(description="Which passkeys; empty: whichever the phone finds.")
    expires_in: int = Field(description="Seconds.")


class PasskeyAssertion(RequestMessage):
    """A passkey signed. WebAuthn Level 3 §5.2.2."""

    challenge: ShortOctets
    credential_id: ShortOctets
    client_data: LongOctets = Field(description="clientDataJSON")
    authenticator_data: LongOctets
    signature: ShortOctets
    user_handle: ShortOctets | None = None


class DeletionCodeMessage(AnswerMessage):
    """A code that deletes the account: to be written down, it is shown once."""

    deletion_code: str = Field(repr=False)


class DeletedMessage(AnswerMessage):
    """The account, its references and its pseudonyms are gone."""

    deleted: Literal[True] = True
