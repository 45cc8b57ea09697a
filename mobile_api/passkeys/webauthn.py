"""WebAuthn verification of new passkeys and assertions. WebAuthn Level 3 §7.1 and §7.2.

The only module that imports ``webauthn``, which checks type, challenge, origin, RP ID hash, the
flags UP and UV, algorithm and signature. Here, frames of other origins are refused too. The
caller compares the counter in the transaction that stores it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509 import DuplicateExtension, InvalidVersion, UnsupportedGeneralNameType
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    RegistrationCredential,
)

from mobile_api.errors import PasskeyRefused
from mobile_api.types import CredentialId

ALGORITHMS: Final = (
    COSEAlgorithmIdentifier.ECDSA_SHA_256,
    COSEAlgorithmIdentifier.RSASSA_PKCS1_v1_5_SHA_256,
)
"""ES256, which every platform supports, and RS256 for some TPMs. The first is preferred.
RFC 9053 §2.1, RFC 8812 §2."""

MAX_CREDENTIAL_BYTES: Final = 1023
"""WebAuthn Level 3 §7.1, step 25."""

_FAULTS: Final = (
    WebAuthnException,
    UnsupportedAlgorithm,
    DuplicateExtension,
    InvalidVersion,
    UnsupportedGeneralNameType,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that the library and its parsers raise for invalid bytes."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """This service as WebAuthn's Relying Party.

    Attributes:
        rp_id: host name of the phone page.
        origins: of the page, and of the operator's Android apps.
    """

    rp_id: str
    origins: Sequence[str]


@dataclass(frozen=True, slots=True)
class Creation:
    """Response of ``navigator.credentials.create``: base64url, JSON and CBOR."""

    challenge: str = field(repr=False)
    client_data: bytes = field(repr=False)
    attestation: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Assertion:
    """Response of ``navigator.credentials.get``.

    Attributes:
        signature: over authenticator_data and the SHA-256 of client_data.
    """

    challenge: str = field(repr=False)
    credential_id: CredentialId = field(repr=False)
    client_data: bytes = field(repr=False)
    authenticator_data: bytes = field(repr=False)
    signature: bytes = field(repr=False)
    user_handle: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A new passkey: credential id, COSE_Key and signature counter."""

    credential_id: CredentialId = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int


def verify_creation(creation: Creation, party: RelyingParty) -> NewCredential:
    """Verify a new passkey or raise PasskeyRefused. WebAuthn Level 3 §7.1."""
    try:
        verified = verify_registration_response(
            credential=RegistrationCredential(
                id="",
                raw_id=b"",  # the authenticator's data has it
                response=AuthenticatorAttestationResponse(
                    client_data_json=creation.client_data,
                    attestation_object=creation.attestation,
                ),
            ),
            expected_challenge=base64url_to_bytes(creation.challenge),
            expected_rp_id=party.rp_id,
            expected_origin=list(party.origins),
            require_user_verification=True,
            supported_pub_key_algs=list(ALGORITHMS),
        )
        _require_own_frame(creation.client_data)
    except _FAULTS as fault:
        raise PasskeyRefused("the passkey cannot be accepted") from fault
    if len(verified.credential_id) > MAX_CREDENTIAL_BYTES:
        raise PasskeyRefused("the passkey cannot be accepted")
    return NewCredential(
        CredentialId(verified.credential_id),
        verified.credential_public_key,
        verified.sign_count,
    )


def verify_assertion(assertion: Assertion, public_key: bytes, party: RelyingParty) -> int:
    """Return an assertion's counter or raise PasskeyRefused. WebAuthn Level 3 §7.2."""
    try:
        verified = verify_authentication_response(
            credential=AuthenticationCredential(
                id=bytes_to_base64url(assertion.credential_id),
                raw_id=assertion.credential_id,
                response=AuthenticatorAssertionResponse(
                    client_data_json=assertion.client_data,
                    authenticator_data=assertion.authenticator_data,
                    signature=assertion.signature,
                ),
            ),
            expected_challenge=base64url_to_bytes(assertion.challenge),
            expected_rp_id=party.rp_id,
            expected_origin=list(party.origins),
            credential_public_key=public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        _require_own_frame(assertion.client_data)
    except _FAULTS as fault:
        raise PasskeyRefused("the passkey's signature is not valid") from fault
    return verified.new_sign_count


def _require_own_frame(client_data: bytes) -> None:
    """Refuse a page embedded in another origin. WebAuthn Level 3 §7.1 step 10, §7.2 step 14."""
    said = json.loads(client_data)
    if said.get("crossOrigin", False) is not False or "topOrigin" in said:
        raise ValueError("signed within another origin's page")
