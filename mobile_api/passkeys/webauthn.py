"""What a passkey signed, verified. WebAuthn Level 3 §7.1 and §7.2.

The only importer of webauthn. The library checks type, challenge, origin, the digest of the RP
ID, the flags UP and UV, the algorithm and the signature; here the frames of other origins are
refused, too. The counter is compared where it is kept, in the transaction that notes it.
"""

from __future__ import annotations

import json
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
"""ES256, which every platform has, and RS256, which some computers' chips have instead. The
first one is preferred. RFC 9053 §2.1, RFC 8812 §2."""

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
"""What bytes of a stranger make the library and its parsers raise."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """Who a passkey is for. WebAuthn calls it the Relying Party: it is this service.

    Attributes:
        rp_id: host name of the page.
        origin: scheme and authority of the page.
    """

    rp_id: str
    origin: str


@dataclass(frozen=True, slots=True)
class Creation:
    """What ``navigator.credentials.create`` gave.

    Attributes:
        challenge: base64url; what it had to sign.
        client_data: JSON, as the browser wrote it.
        attestation: CBOR, as the authenticator wrote it.
    """

    challenge: str = field(repr=False)
    client_data: bytes = field(repr=False)
    attestation: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What ``navigator.credentials.get`` gave.

    Attributes:
        challenge: base64url; what it had to sign.
        credential_id: which passkey signed.
        client_data: JSON, as the browser wrote it.
        authenticator_data: as the authenticator wrote it.
        signature: over the latter and the SHA-256 of the former.
        user_handle: as it was given when the passkey was made; None if it does not say.
    """

    challenge: str = field(repr=False)
    credential_id: CredentialId = field(repr=False)
    client_data: bytes = field(repr=False)
    authenticator_data: bytes = field(repr=False)
    signature: bytes = field(repr=False)
    user_handle: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A passkey that was made: name, COSE_Key, and what its authenticator counted."""

    credential_id: CredentialId = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int


def verify_creation(creation: Creation, party: RelyingParty) -> NewCredential:
    """Return the passkey that was made for us, its person verified. WebAuthn Level 3 §7.1.

    Raises:
        PasskeyRefused: it is for somebody else, of another kind, or malformed.
    """
    try:
        verified = verify_registration_response(
            credential=RegistrationCredential(
                id="",
                raw_id=b"",  # what counts is in the authenticator's data
                response=AuthenticatorAttestationResponse(
                    client_data_json=creation.client_data,
                    attestation_object=creation.attestation,
                ),
            ),
            expected_challenge=base64url_to_bytes(creation.challenge),
            expected_rp_id=party.rp_id,
            expected_origin=party.origin,
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
    """Return what the authenticator counted, if it signed for us and verified its person.

    WebAuthn Level 3 §7.2, without the step about the counter.

    Args:
        assertion: what was signed.
        public_key: of the passkey, as COSE_Key.
        party: who it has to be for.

    Raises:
        PasskeyRefused: it is for somebody else, badly signed, or malformed.
    """
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
            expected_origin=party.origin,
            credential_public_key=public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        _require_own_frame(assertion.client_data)
    except _FAULTS as fault:
        raise PasskeyRefused("the passkey did not sign what it had to") from fault
    return verified.new_sign_count


def _require_own_frame(client_data: bytes) -> None:
    """Refuse a page of another origin around ours. WebAuthn Level 3 §7.1 step 10, §7.2 step 14.

    Raises:
        ValueError: there was one, as the browser says.
    """
    said = json.loads(client_data)
    if said.get("crossOrigin", False) is not False or "topOrigin" in said:
        raise ValueError("signed within another origin's page")
