"""Verifies who signed a request, by a DPoP proof. RFC 9449 §4.

Unlike RFC 9449, the proof also signs the body (claim ``bh``), so that nothing between phone and
service can change it. Its key names the device; a proof is never an access token. The proof is
judged before the body is read, and the body by it afterwards: unauthenticated callers cost no
memory.

Refused besides: algorithms other than ES256, and other header parameters than typ, alg and jwk.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mobile_api.errors import ClockSkew, InvalidProof, NonceNeeded
from mobile_api.messages import BODY_HASH_CLAIM
from mobile_api.types import DeviceId
from oidc.errors import ProofRefused
from oidc.plumbing import dpop

ALGORITHM: Final = "ES256"
"""RFC 7518 §3.4; every phone's key store supports it."""

HEADERS: Final = frozenset({"typ", "alg", "jwk"})


@dataclass(frozen=True, slots=True)
class Proof:
    """A verified proof. Its nonce is not consumed yet."""

    device_id: DeviceId
    nonce: str = field(repr=False)
    body_hash: str = field(repr=False)

    def require_body(self, body: bytes) -> None:
        """Raise InvalidProof if another body was signed."""
        if not hmac.compare_digest(
            self.body_hash.encode(errors="replace"), body_hash(body).encode()
        ):
            raise InvalidProof("the proof is for another body")


def body_hash(body: bytes) -> str:
    """Return the claim ``bh`` of a body."""
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


def verify_proof(headers: Sequence[str], request: dpop.ProvedRequest) -> Proof:
    """Return the verified proof among the values of a DPoP header; its body is still to come.

    Raises InvalidProof, NonceNeeded or ClockSkew.
    """
    proof = _signed(headers, request)
    if set(proof.header) != HEADERS:
        raise InvalidProof("the proof's header must be typ, alg and jwk only")
    nonce, signed = proof.claims.get("nonce"), proof.claims.get(BODY_HASH_CLAIM)
    if not isinstance(signed, str):
        raise InvalidProof("the proof is for another body")
    if not isinstance(nonce, str):
        raise NonceNeeded("the proof has no nonce")
    return Proof(DeviceId(proof.key.thumbprint()), nonce, signed)


def _signed(headers: Sequence[str], request: dpop.ProvedRequest) -> dpop.SignedProof:
    try:
        return dpop.verify_proof(headers, request, [ALGORITHM])
    except ProofRefused as fault:
        if fault.is_untimely:
            raise ClockSkew("the phone's clock differs too much from the service's") from fault
        raise InvalidProof(str(fault)) from fault
