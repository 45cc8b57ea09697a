"""Verifies who signed a request, by a proof in the form of DPoP. RFC 9449 §4.

Unlike RFC 9449, the proof also signs the body (claim ``bh``), so that nothing between phone and
service can change it. Its key names the device; a proof is never an access token.

Refused: algorithms other than ES256 on P-256, other header parameters than typ, alg and jwk,
private key members, a repeated header, and what ``CHECKS`` refuses.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from mobile_api.errors import ClockSkew, InvalidProof, NonceNeeded
from mobile_api.messages import BODY_HASH_CLAIM, PROOF_TYPE
from mobile_api.types import DeviceId

ALGORITHM: Final = "ES256"
"""RFC 7518 §3.4; every phone's key store supports it."""

MAX_PROOF_CHARS: Final = 4_096
"""Usual proofs have about 600."""

MAX_JTI_CHARS: Final = 128

PUBLIC_MEMBERS: Final = frozenset({"kty", "crv", "x", "y"})
"""Members of an elliptic-curve key. RFC 7518 §6.2.1."""

HEADERS: Final = frozenset({"typ", "alg", "jwk"})


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request that a proof must match.

    Attributes:
        url: from the public URL, without query.
        at: arrival, aware and UTC.
    """

    method: str
    url: str
    body: bytes = field(repr=False)
    at: datetime
    clock_skew: timedelta


@dataclass(frozen=True, slots=True)
class Proof:
    """A verified proof. Its nonce is not consumed yet."""

    device_id: DeviceId
    nonce: str = field(repr=False)


def body_hash(body: bytes) -> str:
    """Return the claim ``bh`` of a body."""
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


def verify_proof(headers: Sequence[str], request: SignedRequest) -> Proof:
    """Return the verified proof among the values of a DPoP header.

    Raises InvalidProof, NonceNeeded or ClockSkew.
    """
    if len(headers) != 1 or len(headers[0]) > MAX_PROOF_CHARS:
        raise InvalidProof("exactly one DPoP header is needed")
    key = _key_of(headers[0])
    claims = _claims_of(headers[0], key)
    for check in CHECKS:
        check(claims, request)
    return Proof(DeviceId(key.thumbprint()), claims["nonce"])


MAX_IAT: Final = 2**53
"""Larger times lose whole seconds as a float."""


def _key_of(proof: str) -> ECKey:
    """RFC 9449 §4.3, checks 3 to 7."""
    try:
        header = jws.extract_compact(proof.encode()).headers()
        jwk = header["jwk"]
        if set(header) != HEADERS or header["typ"] != PROOF_TYPE or header["alg"] != ALGORITHM:
            raise InvalidProof("the proof's header must be typ, alg and jwk only")
        if not isinstance(jwk, dict) or set(jwk) != PUBLIC_MEMBERS:
            raise InvalidProof("the proof's key must be a public key only")
        if jwk["kty"] != "EC" or jwk["crv"] != "P-256":
            raise InvalidProof("the proof's key is not on P-256")
        return ECKey.import_key(jwk)
    except (JoseError, KeyError, TypeError, ValueError, RecursionError) as fault:
        raise InvalidProof("the proof cannot be read") from fault


def _claims_of(proof: str, key: ECKey) -> dict[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(proof, key, algorithms=[ALGORITHM]).claims
    except (JoseError, TypeError, ValueError, RecursionError) as fault:
        raise InvalidProof("the proof's signature is not valid") from fault
    return claims


Claims = dict[str, Any]


def _check_jti(claims: Claims, _request: SignedRequest) -> None:
    """RFC 9449 §4.2. The single-use nonce makes it unique."""
    jti = claims.get("jti")
    if not isinstance(jti, str) or not 0 < len(jti) <= MAX_JTI_CHARS:
        raise InvalidProof("the proof has no valid jti")


def _check_htm(claims: Claims, request: SignedRequest) -> None:
    """RFC 9449 §4.3, check 8."""
    if claims.get("htm") != request.method:
        raise InvalidProof("the proof is for another method")


def _check_htu(claims: Claims, request: SignedRequest) -> None:
    """Compares without query and fragment. RFC 9449 §4.3, check 9."""
    htu = claims.get("htu")
    if not isinstance(htu, str) or _normal(htu) != _normal(request.url):
        raise InvalidProof("the proof is for another address")


def _check_body(claims: Claims, request: SignedRequest) -> None:
    found = claims.get(BODY_HASH_CLAIM)
    expected = body_hash(request.body)
    if not isinstance(found, str) or not hmac.compare_digest(
        found.encode(errors="replace"), expected.encode()
    ):
        raise InvalidProof("the proof is for another body")


def _check_iat(claims: Claims, request: SignedRequest) -> None:
    """RFC 9449 §11.1."""
    iat = claims.get("iat")
    if isinstance(iat, bool) or not isinstance(iat, int | float):
        raise InvalidProof("the proof has no valid iat")
    skew_s = request.clock_skew.total_seconds()
    if not (0 <= iat < MAX_IAT and abs(iat - request.at.timestamp()) <= skew_s):
        raise ClockSkew("the phone's clock differs too much from the service's")


def _check_nonce(claims: Claims, _request: SignedRequest) -> None:
    if not isinstance(claims.get("nonce"), str):
        raise NonceNeeded("the proof has no nonce")


CHECKS: Final[tuple[Callable[[Claims, SignedRequest], None], ...]] = (
    _check_jti,
    _check_htm,
    _check_htu,
    _check_body,
    _check_iat,
    _check_nonce,
)
"""In this order. RFC 9449 §4.3."""


def _normal(url: str) -> str:
    """RFC 3986 §6.2.2, without query and fragment."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, (parts.hostname or "").lower()
    except ValueError:
        return ""
    if port is not None and {"http": 80, "https": 443}.get(parts.scheme) != port:
        host = f"{host}:{port}"
    return f"{parts.scheme}://{host}{parts.path}"
