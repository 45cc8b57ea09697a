"""Client authentication and DPoP proofs."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Final

from benchmarks.hostile_requests.person import Person, now_s
from benchmarks.hostile_requests.raw_http import Pair
from benchmarks.hostile_requests.request_builders.base import ClaimOverrides

_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def secret(person: Person) -> dict[str, str]:
    """Return the fields of client_secret_post."""
    shop = person.installation.shop
    return {"client_id": shop.client_id, "client_secret": shop.client_secret}


def basic(person: Person) -> Pair:
    """Return the header of client_secret_basic."""
    shop = person.installation.shop
    pair = f"{shop.client_id}:{shop.client_secret}".encode()
    text = base64.b64encode(pair).decode()
    return "Authorization", f"Basic {text}"


def assertion(person: Person, overrides: ClaimOverrides) -> dict[str, str]:
    """Return the fields of private_key_jwt. RFC 7523 §2.2."""
    client_id = person.installation.signer.client_id
    now = now_s()
    claims = {"iss": client_id, "sub": client_id, "aud": person.installation.service.issuer}
    times = {"iat": now, "exp": now + 60, "jti": secrets.token_urlsafe(8)}
    key = person.installation.signer_key
    token = person.signed(key, {"alg": "ES256"}, claims | times, overrides)
    return {
        "client_id": client_id,
        "client_assertion_type": _ASSERTION,
        "client_assertion": token,
    }


def dpop(
    person: Person, method: str, path: str, overrides: ClaimOverrides, token: str = ""
) -> Pair:
    """Return a DPoP proof for the provider. RFC 9449 §4.2."""
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": person.key.as_dict(private=False)}
    claims: dict[str, object] = {
        "jti": secrets.token_urlsafe(8),
        "htm": method,
        "htu": person.address + path,
        "iat": now_s(),
    }
    if token:
        digest = hashlib.sha256(token.encode()).digest()
        claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return "DPoP", person.signed(person.key, header, claims, overrides)
