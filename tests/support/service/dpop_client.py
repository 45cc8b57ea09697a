"""A client that holds a key and proves it: DPoP proofs, honest or with one thing changed."""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from joserfc import jws, jwt
from joserfc.jwk import ECKey, RSAKey

from tests.support.clock import FakeClock


class _Registry(jws.JWSRegistry):
    """Writes headers that hold an RSA key."""

    max_header_length = 8192


@dataclass
class Holder:
    """Signs proofs with one key.

    Attributes:
        clock: tells the time.
        key: signs.
    """

    clock: FakeClock
    key: ECKey | RSAKey = field(default_factory=lambda: ECKey.generate_key("P-256"))

    @property
    def thumbprint(self) -> str:
        """Return how others name the key. RFC 7638."""
        return self.key.thumbprint()

    def proof(
        self,
        method: str,
        uri: str,
        access_token: str | None = None,
        *,
        header: dict[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        """Return a proof for one request; None leaves a claim or a header out."""
        alg = "ES256" if isinstance(self.key, ECKey) else "PS256"
        public = self.key.as_dict(private=False)
        honest_header = {"typ": "dpop+jwt", "alg": alg, "jwk": public, **(header or {})}
        alg_used = str(honest_header["alg"])
        claims: dict[str, Any] = {
            "jti": str(uuid4()),
            "htm": method,
            "htu": uri,
            "iat": int(self.clock().timestamp()),
            "ath": None if access_token is None else ath(access_token),
            **changes,
        }
        kept_header = {
            name: value for name, value in honest_header.items() if value is not None
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(
            kept_header, kept, self.key, registry=_Registry(algorithms=[alg_used])
        )


def ath(access_token: str) -> str:
    """Return the digest of an access token. RFC 9449 §4.2."""
    digest = hashlib.sha256(access_token.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
