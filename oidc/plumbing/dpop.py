"""A DPoP proof: its key, its signature, and the request that it signs. RFC 9449 §4.

Whether a proof was used before, and its nonce, are the caller's to check.
"""

import base64
import hashlib
import hmac
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from oidc.errors import ProofRefused

ALGORITHMS: Final = ("ES256", "PS256")
"""Accepted signatures: asymmetric, both in FAPI 2.0 §5.4.1."""

PROOF_TYPE: Final = "dpop+jwt"
"""``typ`` of a proof. RFC 9449 §4.2."""

WINDOW: Final = timedelta(seconds=60)
"""Greatest age of a proof; RFC 9449 §11.1 suggests seconds or minutes."""

AHEAD: Final = timedelta(seconds=10)
"""How fast a client's clock may be. FAPI 2.0 §5.3.2.1."""

_PROOF_LENGTH: Final = 4096
_JTI_LENGTH: Final = 255
_RSA_BITS: Final = 2048

_PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
"""Members of private or symmetric keys. RFC 7518 §6."""

_KEY_TYPES: Final[dict[str, type[ECKey | RSAKey]]] = {"ES256": ECKey, "PS256": RSAKey}

_ENCODED: Final = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = re.compile("[A-Za-z0-9._~-]")
"""RFC 3986 §2.3."""

Claims = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ProvedRequest:
    """The request that a proof must match.

    Attributes:
        uris: from settings, never from the request.
        at: aware, UTC.
        window: greatest age.
        ahead: how fast the sender's clock may be.
    """

    method: str
    uris: frozenset[str]
    at: datetime
    access_token: str | None = field(default=None, repr=False)
    window: timedelta = WINDOW
    ahead: timedelta = AHEAD


@dataclass(frozen=True, slots=True)
class SignedProof:
    """A proof that the key in its header signed."""

    header: dict[str, Any]
    key: ECKey | RSAKey
    claims: Claims


class _Registry(jws.JWSRegistry):
    """Allows headers that hold an RSA key; joserfc's own limit is 512 bytes."""

    max_header_length = _PROOF_LENGTH


def verify_proof(
    headers: Sequence[str], request: ProvedRequest, algorithms: Sequence[str] = ALGORITHMS
) -> SignedProof:
    """Return the proof of a request, by one of these algorithms. RFC 9449 §4.3, without 10.

    ``headers`` are all values of the DPoP header. Raises ``ProofRefused``.
    """
    proof = _opened(headers, algorithms)
    _check_jti(proof.claims)
    _check_htm(proof.claims, request)
    _check_htu(proof.claims, request)
    _check_times(proof.claims, request)
    _check_ath(proof.claims, request)
    return proof


def _opened(headers: Sequence[str], algorithms: Sequence[str]) -> SignedProof:
    """Return what the key in the header signed. RFC 9449 §4.3, 1 to 7."""
    if len(headers) != 1 or len(headers[0]) > _PROOF_LENGTH:
        raise ProofRefused("send one DPoP header of at most 4096 characters")
    try:
        compact, registry = headers[0].encode("ascii"), _Registry(algorithms=list(algorithms))
        header = jws.extract_compact(compact, registry=registry).headers()
        key = _key_in(header, algorithms)
        claims: Claims = jwt.decode(compact, key, registry=registry).claims
    except (JoseError, KeyError, TypeError, ValueError, RecursionError) as fault:
        raise ProofRefused("the proof cannot be read, or its signature is wrong") from fault
    return SignedProof(header, key, claims)


def _key_in(header: dict[str, Any], algorithms: Sequence[str]) -> ECKey | RSAKey:
    if header.get("typ") != PROOF_TYPE:
        raise ProofRefused(f"the typ of a proof must be {PROOF_TYPE}")
    algorithm, jwk = str(header.get("alg")), header.get("jwk")
    if algorithm not in algorithms or not isinstance(jwk, dict) or _PRIVATE & set(jwk):
        raise ProofRefused(f"a proof needs its public jwk and alg {' or '.join(algorithms)}")
    key = _KEY_TYPES[algorithm].import_key(jwk)
    if isinstance(key, RSAKey):
        if key.public_key.key_size < _RSA_BITS:
            raise ProofRefused(f"an RSA key needs at least {_RSA_BITS} bits")
    elif key.curve_name != "P-256":
        raise ProofRefused("the only supported curve is P-256")
    return key


def _check_jti(claims: Claims) -> None:
    """Require an identifier. §4.2."""
    jti = claims.get("jti")
    if not isinstance(jti, str) or not 0 < len(jti) <= _JTI_LENGTH:
        raise ProofRefused("a proof needs a jti")


def _check_htm(claims: Claims, request: ProvedRequest) -> None:
    """Require the method of this request. §4.3, 8."""
    if claims.get("htm") != request.method:
        raise ProofRefused("the proof is for another method (htm)")


def _check_htu(claims: Claims, request: ProvedRequest) -> None:
    """Require the URL of this request, without query and fragment. §4.3, 9."""
    htu = claims.get("htu")
    if not isinstance(htu, str) or _normal(htu) not in {_normal(uri) for uri in request.uris}:
        raise ProofRefused("the proof is for another address (htu)")


def _check_times(claims: Claims, request: ProvedRequest) -> None:
    """Require a current iat, and hold exp and nbf. §4.3, 11; §11.1; RFC 7519 §4.1."""
    now, ahead = request.at.timestamp(), request.ahead.total_seconds()
    allowed = {
        "iat": (now - request.window.total_seconds(), now + ahead),
        "exp": (now - ahead, math.inf),
        "nbf": (-math.inf, now + ahead),
    }
    for name in ("iat", *(claims.keys() & {"exp", "nbf"})):
        at, (earliest, latest) = claims.get(name), allowed[name]
        if isinstance(at, bool) or not isinstance(at, int | float):
            raise ProofRefused(f"a proof needs a time in {name}")
        if not earliest <= at <= latest:
            raise ProofRefused(f"the proof is too old or too early ({name})", is_untimely=True)


def _check_ath(claims: Claims, request: ProvedRequest) -> None:
    """Require the digest of the presented access token. §4.3, 12."""
    if request.access_token is None:
        return
    digest = hashlib.sha256(request.access_token.encode("utf-8", "surrogatepass")).digest()
    expected = base64.urlsafe_b64encode(digest).rstrip(b"=")
    presented = claims.get("ath")
    if not isinstance(presented, str) or not hmac.compare_digest(
        presented.encode("utf-8", "surrogatepass"), expected
    ):
        raise ProofRefused("the proof is for another access token (ath)")


def _normal(uri: str) -> str | None:
    """Normalise syntax and scheme; drop query and fragment. RFC 3986 §6.2.2, §6.2.3."""
    try:
        parts = urlsplit(uri)
        port, host = parts.port, (parts.hostname or "").lower()
    except ValueError:
        return None
    if port is not None and {"http": 80, "https": 443}.get(parts.scheme) != port:
        host = f"{host}:{port}"
    return f"{parts.scheme}://{host}{_normal_path(parts.path)}"


def _normal_path(path: str) -> str:
    """Decode what needs no encoding, write the rest in capitals, remove dot segments."""
    return urlsplit(urljoin("http://-", _ENCODED.sub(_decoded, f"/.{path}"))).path


def _decoded(found: re.Match[str]) -> str:
    byte = bytes.fromhex(found[1]).decode("latin-1")
    return byte if _UNRESERVED.fullmatch(byte) else found[0].upper()
