"""Single-use nonces for proofs and passkey challenges. RFC 9449 §8.

A nonce is

    base64url( expiry in ms (8 bytes) ‖ random (16 bytes) ‖ HMAC-SHA256, first 16 bytes )

so issuing one stores nothing. Only used nonces are stored: the database lets one of several
processes consume each. Requests that only read spend none. All processes share the key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from mobile_api.errors import NonceNeeded
from mobile_api.storage.database import Database
from mobile_api.types import Clock

RANDOM_BYTES: Final = 16
MAC_BYTES: Final = 16
EXPIRY_BYTES: Final = 8
NONCE_BYTES: Final = EXPIRY_BYTES + RANDOM_BYTES + MAC_BYTES


class NonceService:
    """Issues and consumes nonces.

    ``keys`` returns keys for this purpose only: the first signs, all verify.
    """

    def __init__(
        self,
        keys: Callable[[], Sequence[bytes]],
        database: Database,
        clock: Clock,
        *,
        lifetime_s: int,
    ) -> None:
        self._keys, self._database, self._clock = keys, database, clock
        self._lifetime = timedelta(seconds=lifetime_s)

    def issue(self, subject: str = "") -> str:
        """Return a new nonce; the MAC binds it to the subject."""
        expires_ms = round((self._clock() + self._lifetime).timestamp() * 1000)
        body = expires_ms.to_bytes(EXPIRY_BYTES, "big") + secrets.token_bytes(RANDOM_BYTES)
        return (
            base64.urlsafe_b64encode(body + _mac(self._keys()[0], body, subject))
            .rstrip(b"=")
            .decode()
        )

    def consume(self, nonce: str, subject: str = "") -> None:
        """Mark a nonce as used, or raise NonceNeeded."""
        body, expires_at = self.check(nonce, subject)
        with self._database.write() as transaction:
            unspent = transaction.nonces.consume(hashlib.sha256(body).digest(), expires_at)
        if not unspent:
            raise NonceNeeded("the nonce was used before")

    def check(self, nonce: str, subject: str = "") -> tuple[bytes, datetime]:
        """Return what a nonce of ours says and until when; raise NonceNeeded for any other."""
        raw = _decode(nonce)
        body, mac = raw[:-MAC_BYTES], raw[-MAC_BYTES:]
        macs = [_mac(key, body, subject) for key in self._keys()]
        if len(raw) != NONCE_BYTES or not any(hmac.compare_digest(mac, ours) for ours in macs):
            raise NonceNeeded("the nonce is not valid")
        expires_ms = int.from_bytes(body[:EXPIRY_BYTES], "big")
        expires_at = datetime.fromtimestamp(expires_ms / 1000, UTC)
        if self._clock() >= expires_at:
            raise NonceNeeded("the nonce has expired")
        return body, expires_at


def _mac(key: bytes, body: bytes, subject: str) -> bytes:
    # Unambiguous, because the body has a fixed length.
    return hmac.digest(key, body + subject.encode(), "sha256")[:MAC_BYTES]


def _decode(nonce: str) -> bytes:
    try:
        return base64.b64decode(nonce + "=" * (-len(nonce) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
