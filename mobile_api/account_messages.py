"""Bodies about an account: phones, passkeys, linked clients, and what a shown palm allows."""

from typing import Annotated

from pydantic import Field

from mobile_api.messages import (
    AnswerMessage,
    Extractors,
    LongOctets,
    RequestMessage,
    ShortOctets,
    Token,
)
from mobile_api.types import NoticeKind, PhoneTrust, TrustWay


class ProvedByPalm(RequestMessage):
    """Asks for what this phone may do for minutes after its palm was shown."""

    palm_proof: Token


class ConnectionMessage(AnswerMessage):
    """A client that is linked to this account by a pseudonym."""

    handle: str = Field(description="Identifies the link in this API only.")
    client_name: str
    client_host: str
    since: int = Field(description="Seconds since 1970.")
    signs_out: bool = Field(description="Whether disconnecting signs the person out there.")


class ConnectionsMessage(AnswerMessage):
    """Linked clients, latest first."""

    connections: list[ConnectionMessage]


class PalmProofMessage(AnswerMessage):
    """A palm proof for the next minutes."""

    palm_proof: str = Field(repr=False)
    expires_in: int = Field(description="Seconds.")


class CreatePasskeyMessage(AnswerMessage):
    """Options for creating a passkey. WebAuthn Level 3 §5.4."""

    rp_id: str
    challenge: str
    user_handle: str = Field(description="Random; names no account.")
    algorithms: list[int] = Field(description="COSE algorithm numbers, preferred first.")
    exclude: list[str] = Field(description="Known passkeys, which must not be created again.")
    expires_in: int = Field(description="Seconds.")


class AddPasskey(RequestMessage):
    """A created passkey. WebAuthn Level 3 §5.2.1."""

    challenge: ShortOctets
    client_data: LongOctets = Field(description="clientDataJSON")
    attestation: LongOctets = Field(description="attestationObject")


class PasskeyMessage(AnswerMessage):
    """A stored passkey."""

    credential_id: str


class PasskeyChallengeMessage(AnswerMessage):
    """Options for authenticating with a passkey. WebAuthn Level 3 §5.5."""

    rp_id: str
    challenge: str
    allow: list[str] = Field(description="Allowed passkeys; empty: any that the phone has.")
    expires_in: int = Field(description="Seconds.")


class PasskeyAssertion(RequestMessage):
    """A passkey's signature. WebAuthn Level 3 §5.2.2."""

    challenge: ShortOctets
    credential_id: ShortOctets
    client_data: LongOctets = Field(description="clientDataJSON")
    authenticator_data: LongOctets
    signature: ShortOctets
    user_handle: ShortOctets | None = None
    palm_proof: Token | None = Field(
        default=None, description="On a phone that is not trusted: of the passkey's account."
    )


class PhoneRequestMessage(AnswerMessage):
    """A new phone that asks to be trusted."""

    handle: str
    number: str = Field(description="Four digits that the new phone shows too.")
    name: str
    asked_at: int = Field(description="Its day, in seconds since 1970.")
    trusted_in: int | None = Field(
        description="Seconds until its owner can finish by palm alone; null: never."
    )


class NoticeMessage(AnswerMessage):
    """Something that happened to the account."""

    id: str
    kind: NoticeKind
    at: int = Field(description="Its day, in seconds since 1970.")


class PushMessage(AnswerMessage):
    """Whether this phone gets a Web Push when a new phone asks for trust."""

    public_key: str = Field(description="What its browser subscribes with. RFC 8292 §4.")
    subscribed: bool


class OwnPhoneMessage(AnswerMessage):
    """How far this phone is trusted."""

    trust: PhoneTrust
    challenge: bool = Field(description="Whether palm proofs need a challenge.")
    extractors: Extractors
    roads: list[TrustWay] = Field(
        description="How its palm and what else make it trusted, best first; empty if it is, or"
        " showed no palm of an account."
    )
    number: str | None = Field(description="Four digits, as trusted phones show its request.")
    trusted_in: int | None = Field(
        description="Seconds until the palm makes this phone trusted; null: nothing is asked,"
        " or waiting does not help."
    )
    requests: list[PhoneRequestMessage] = Field(
        description="Latest first; empty unless it is trusted."
    )
    more_requests: int = Field(description="How many older ones are not listed one by one.")
    push: PushMessage | None = Field(
        description="null: it is not trusted, or the operator uses no push service."
    )
    notices: list[NoticeMessage]


class Subscribe(RequestMessage):
    """Subscribes this phone to Web Push. W3C Push API §8."""

    endpoint: Annotated[str, Field(min_length=1, max_length=2048, repr=False)]
    p256dh: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{87}$", repr=False)]
    auth: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{22}$", repr=False)]


class PhoneMessage(AnswerMessage):
    """A phone of the account."""

    handle: str = Field(description="Identifies the phone in this API only.")
    name: str
    since: int = Field(description="Its first day, in seconds since 1970.")
    last_used: int = Field(description="Its last day, in seconds since 1970.")
    trust: PhoneTrust
    is_this: bool
    waiting: bool = Field(description="Whether it asks to be trusted.")
    number: str = Field(description="Four digits that it shows if it asks.")


class PhonesMessage(AnswerMessage):
    """The account's phones, trusted ones first."""

    phones: list[PhoneMessage]


class SignInMessage(AnswerMessage):
    """A finished sign-in."""

    client_name: str
    client_host: str
    at: int = Field(description="Its day, in seconds since 1970.")
    phone: str | None = Field(description="Name of the phone; null if it was removed.")
    is_this: bool = Field(description="Whether it was this phone.")
    with_trusted_phone: bool = Field(description="False: by palm alone.")
    at_station: bool = Field(description="By palm at a station of the operator's.")


class AccountMessage(PhonesMessage, ConnectionsMessage):
    """Phones, apps and sign-ins of an account."""

    sign_ins: list[SignInMessage] = Field(description="Latest first.")


class RemovePhone(RequestMessage):
    """Removes a phone."""

    palm_proof: Token
    end_sign_ins: bool = Field(description="Also end what it signed in to.")


class RecoverPhone(RequestMessage):
    """Makes this phone trusted."""

    recovery_code: Annotated[str, Field(min_length=1, max_length=64, repr=False)]
    palm_proof: Token


class RecoveryCodeMessage(AnswerMessage):
    """A code that makes a new phone trusted; shown once."""

    recovery_code: str = Field(repr=False)


class DeletionCodeMessage(AnswerMessage):
    """A code that deletes the account; shown once."""

    deletion_code: str = Field(repr=False)
