"""Signing keys: sealed in the protocol database, published as JWKS.

The only importer of joserfc. Each key has a ``kid`` (RFC 7638 thumbprint). The newest key whose
time has come signs; every key that has not retired is published and verifies. Algorithms come
from our own record of the key, never from a token (RFC 8725 §3.1), and no key is taken from a
token.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from oidc.errors import KeyFault, TokenInvalid
from oidc.storage.keys import SigningKeyRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from pydantic import SecretStr

    from oidc.storage.transactions import Stores, Transactions
    from oidc.types import Clock

_ALGORITHM: Final = "RS256"
_RSA_BITS: Final = 2048
"""NIST SP 800-57: enough until 2030; larger keys make every login slower."""

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_STALE: Final = timedelta(seconds=60)
"""How long a process may go on without looking for new keys."""


class KeyCipher:
    """Seals private keys with AES-256-GCM; the ``kid`` is authenticated along."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, private: bytes, kid: str) -> bytes:
        """Return nonce and ciphertext."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, private, kid.encode())

    def open(self, sealed: bytes, kid: str) -> bytes:
        """Return the private key.

        Raises:
            KeyFault: sealed under another key encryption key, or damaged.
        """
        nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, kid.encode())
        except InvalidTag as fault:
            raise KeyFault("a signing key was sealed under another key") from fault


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An opened signing key."""

    record: SigningKeyRecord
    key: RSAKey = field(repr=False)


class KeyRing:
    """Signs and verifies with the keys of the database, which it reads again now and then."""

    def __init__(self, transactions: Transactions, cipher: KeyCipher, clock: Clock) -> None:
        self._transactions = transactions
        self._cipher = cipher
        self._clock = clock
        self._lock = Lock()
        self._keys: tuple[SigningKey, ...] = ()
        self._read_at: datetime | None = None

    def sign(self, claims: Mapping[str, object], *, typ: str) -> str:
        """Return the claims as compact JWS, signed by the current key. RFC 7515, RFC 7519."""
        current = self._current()
        header = {"alg": current.record.algorithm, "typ": typ, "kid": current.record.kid}
        return jwt.encode(header, dict(claims), current.key, [current.record.algorithm])

    def verify(self, token: str, *, typ: str) -> dict[str, Any]:
        """Return the claims of one of our own tokens; times and audience are not judged.

        Raises:
            TokenInvalid: malformed, of another type, or not signed by one of our keys.
        """
        try:
            header = jws.extract_compact(token.encode("ascii")).headers()
            signing = self._named(header.get("kid"))
            if signing is None or str(header.get("typ", "")).lower() != typ:
                raise TokenInvalid("not a token of this provider")
            return jwt.decode(token, signing.key, [signing.record.algorithm]).claims
        except (JoseError, ValueError) as fault:
            raise TokenInvalid("not a token of this provider") from fault

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """Return the public halves of every key that has not retired. RFC 7517 §5."""
        return {"keys": [json.loads(key.record.public_jwk) for key in self._living()]}

    def _current(self) -> SigningKey:
        now = self._clock()
        ready = [key for key in self._living() if key.record.signs_from <= now]
        if not ready:
            raise KeyFault("there is no signing key: run `thenar migrate`")
        return ready[-1]

    def _named(self, kid: object) -> SigningKey | None:
        return next((key for key in self._living() if key.record.kid == kid), None)

    def _living(self) -> list[SigningKey]:
        now = self._clock()
        with self._lock:
            if self._read_at is None or now - self._read_at >= _STALE:
                self._keys, self._read_at = self._opened(), now
            keys = self._keys
        return [key for key in keys if not _has_retired(key.record, now)]

    def _opened(self) -> tuple[SigningKey, ...]:
        with self._transactions.read() as stores:
            records = stores.keys.all()
        # Opening a key checks its primes, which takes a tenth of a second: each is opened once.
        known = {each.record.kid: each.key for each in self._keys}
        return tuple(
            SigningKey(record, known.get(record.kid) or self._private_key(record))
            for record in records
        )

    def _private_key(self, record: SigningKeyRecord) -> RSAKey:
        opened = self._cipher.open(record.sealed_private, record.kid)
        return RSAKey.import_key(json.loads(opened))


def ensure_signing_key(stores: Stores, cipher: KeyCipher, now: datetime) -> None:
    """Make a first signing key if there is none."""
    if not stores.keys.all():
        stores.keys.add(new_signing_key(cipher, now))


def new_signing_key(cipher: KeyCipher, now: datetime) -> SigningKeyRecord:
    """Return a fresh RSA key, sealed, that signs from now on."""
    key = RSAKey.generate_key(_RSA_BITS)
    kid = key.thumbprint()
    use = {"kid": kid, "use": "sig", "alg": _ALGORITHM}
    return SigningKeyRecord(
        kid=kid,
        algorithm=_ALGORITHM,
        public_jwk=json.dumps({**key.as_dict(private=False), **use}),
        sealed_private=cipher.seal(json.dumps(key.as_dict(private=True)).encode(), kid),
        created_at=now,
        signs_from=now,
    )


def load_cipher(secret: SecretStr | None, path: Path) -> KeyCipher:
    """Return the cipher of the setting or, without one, of the file.

    Raises:
        KeyFault: neither is there, or it is not 32 bytes in base64url.
    """
    if secret is not None:
        return KeyCipher(_decoded(secret.get_secret_value(), "the key encryption key"))
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError) as fault:
        raise KeyFault(
            "the key encryption key file cannot be read: run `thenar migrate`, or restore it"
        ) from fault
    return KeyCipher(_decoded(text.strip(), "the key encryption key file"))


def make_key_file(path: Path) -> None:
    """Write a new key encryption key that only the owner can read, unless the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "wb") as file:
        file.write(base64.urlsafe_b64encode(os.urandom(_KEY_BYTES)) + b"\n")


def _decoded(text: str, name: str) -> bytes:
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as fault:
        raise KeyFault(f"{name} is not base64url") from fault
    if len(key) != _KEY_BYTES:
        raise KeyFault(f"{name} does not hold {_KEY_BYTES} bytes")
    return key


def _has_retired(record: SigningKeyRecord, now: datetime) -> bool:
    return record.retires_at is not None and record.retires_at <= now
