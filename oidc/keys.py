"""Signing keys: made and rotated, stored encrypted, used to sign and verify.

The newest active key of an algorithm signs, all verify. The algorithm comes from the key's
record, never from a token (RFC 8725 §3.1). A new key is published before it signs, for cached
JWKS; the old one until its last token expired (RFC 7517 §5, OpenID Connect Core §10.1.1).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateNumbers, RSAPublicNumbers
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey
from joserfc.util import base64_to_int, json_b64encode, urlsafe_b64encode

from oidc.errors import DatabaseUnavailable, SigningKeyFault, TokenInvalid
from oidc.plumbing import private_file
from oidc.plumbing.key_source import KeySource
from oidc.protocol import digest_of
from oidc.storage.database import Database, Stores
from oidc.storage.stores.operation import SigningKeyRecord
from oidc.types import AuditEvent, Clock, Lifetimes

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class KeyCipher:
    """Encrypts private keys with AES-256-GCM; the ``kid`` is authenticated too."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._cipher = AESGCM(key)

    def derive(self, purpose: bytes) -> bytes:
        """Return a 32-byte key for another purpose, the same in every process. RFC 5869."""
        return HKDF(SHA256(), length=_KEY_BYTES, salt=None, info=purpose).derive(self._key)

    def encrypt(self, private: bytes, kid: str) -> bytes:
        """Return nonce and ciphertext."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, private, kid.encode())

    def decrypt(self, encrypted: bytes, kid: str) -> bytes:
        """Return the private key. Raises ``SigningKeyFault``."""
        nonce, ciphertext = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, kid.encode())
        except (InvalidTag, ValueError) as fault:  # ValueError: too short
            raise SigningKeyFault("a signing key was encrypted under another key") from fault


def load_cipher(source: KeySource) -> KeyCipher:
    """Return the cipher of a key. Raises ``SigningKeyFault`` or ``KeyCommandFailed``."""
    text = source.text()
    try:
        text = source.path.read_text(encoding="ascii") if text is None else text
    except (OSError, ValueError) as fault:
        raise SigningKeyFault(
            "the key encryption key file cannot be read: restore it from its backup"
            " (`thenar migrate` makes one for a new database alone)"
        ) from fault
    return KeyCipher(_decoded(text.strip(), source.name))


def make_key_file(path: Path) -> None:
    """Write a new key encryption key, readable by its owner only, unless the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        private_file.create(path, base64.urlsafe_b64encode(os.urandom(_KEY_BYTES)) + b"\n")


def _decoded(text: str, name: str) -> bytes:
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as fault:
        raise SigningKeyFault(f"{name} is not base64url: no key encryption key") from fault
    if len(key) != _KEY_BYTES:
        raise SigningKeyFault(f"{name} does not hold {_KEY_BYTES} bytes")
    return key


ALGORITHMS: Final = ("RS256", "ES256")
"""RS256 comes first: every library verifies it."""

RSA_BITS: Final = 2048
"""Enough until 2030 (NIST SP 800-57); larger keys slow every login."""

KEY_REFRESH_INTERVAL: Final = timedelta(seconds=60)
"""How long a process may use the keys it knows."""

_PUBLISHED: Final = timedelta(minutes=15)
"""Three times the JWKS' cache lifetime."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How a new key and its predecessor overlap.

    ``published`` is before the new one signs, ``verifies`` after the old one's last signature.
    """

    published: timedelta
    verifies: timedelta

    @classmethod
    def for_tokens(cls, lifetimes: Lifetimes) -> Overlap:
        """Let every token expire; a slow process may sign a little longer."""
        longest_s = max(lifetimes.access_token_s, lifetimes.id_token_s)
        return cls(_PUBLISHED, timedelta(seconds=longest_s) + 2 * KEY_REFRESH_INTERVAL)

    @classmethod
    def none(cls) -> Overlap:
        """For a compromised key: nothing it signed counts any more."""
        return cls(timedelta(0), timedelta(0))


def rotate_key(
    stores: Stores, cipher: KeyCipher, algorithm: str, overlap: Overlap, now: datetime
) -> SigningKeyRecord:
    """Add a key, retire its predecessors, and delete those that have ended."""
    signs_from = now + overlap.published
    for old in stores.keys.all():
        if not is_active(old, now):
            stores.keys.remove(old.kid)
        elif old.algorithm == algorithm:
            ends_at = signs_from + overlap.verifies
            stores.keys.retire(old.kid, min(ends_at, old.retires_at or ends_at))
    record = new_signing_key(cipher, algorithm, signs_from, created_at=now)
    _add(stores, record, now, is_compromised=overlap == Overlap.none())
    return record


def ensure_signing_keys(stores: Stores, cipher: KeyCipher, now: datetime) -> None:
    """Make a key for each algorithm that has none."""
    present = {record.algorithm for record in stores.keys.all() if is_active(record, now)}
    for algorithm in ALGORITHMS:
        if algorithm not in present:
            _add(stores, new_signing_key(cipher, algorithm, now, created_at=now), now)


def require_own_keys(stores: Stores, cipher: KeyCipher) -> None:
    """Check that the stored keys were encrypted by this one. Raises ``SigningKeyFault``."""
    for record in stores.keys.all():
        cipher.decrypt(record.sealed_private, record.kid)


def _add(
    stores: Stores, record: SigningKeyRecord, now: datetime, *, is_compromised: bool = False
) -> None:
    stores.keys.add(record)
    stores.audit.record(
        AuditEvent.SIGNING_KEY_MADE,
        now,
        kid=record.kid,
        algorithm=record.algorithm,
        compromised=int(is_compromised),
    )


def new_signing_key(
    cipher: KeyCipher, algorithm: str, signs_from: datetime, *, created_at: datetime
) -> SigningKeyRecord:
    """Return a fresh key, encrypted; its ``kid`` is its RFC 7638 thumbprint."""
    key = _generated(algorithm)
    kid = key.thumbprint()
    use = {"kid": kid, "use": "sig", "alg": algorithm}
    return SigningKeyRecord(
        kid=kid,
        algorithm=algorithm,
        public_jwk=json.dumps({**key.as_dict(private=False), **use}),
        sealed_private=cipher.encrypt(json.dumps(key.as_dict(private=True)).encode(), kid),
        created_at=created_at,
        signs_from=signs_from,
    )


def is_active(record: SigningKeyRecord, now: datetime) -> bool:
    """Return whether the key is published and verifies."""
    return record.retires_at is None or record.retires_at > now


def _generated(algorithm: str) -> RSAKey | ECKey:
    if algorithm == "ES256":
        return ECKey.generate_key("P-256")
    return RSAKey.generate_key(RSA_BITS)


_CAPACITY: Final = 4096
"""Tokens remembered by one process, the latest: about 6 MB."""


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The content of a token, as signed."""

    kid: str
    typ: str
    claims: Mapping[str, Any] = field(repr=False)


_REMEMBERED: Final = "at+jwt"
"""Verified repeatedly. RFC 9068 §2.1."""

_RSA_NUMBERS: Final = ("p", "q", "d", "dp", "dq", "qi", "e", "n")

_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A decrypted signing key."""

    record: SigningKeyRecord
    key: RSAKey | ECKey = field(repr=False)

    def sign(self, claims: Mapping[str, object], typ: str) -> str:
        """Return a compact JWS; ``jwt.encode`` would judge our own header and key each time."""
        name = self.record.algorithm
        content = _header(name, typ, self.record.kid)
        content += b"." + urlsafe_b64encode(_ENCODE(claims).encode("ascii"))
        algorithm = jws.JWSRegistry(algorithms=[name]).get_alg(name)
        return (content + b"." + urlsafe_b64encode(algorithm.sign(content, self.key))).decode()


@lru_cache
def _header(algorithm: str, typ: str, kid: str) -> bytes:
    return json_b64encode({"alg": algorithm, "typ": typ, "kid": kid})


class SigningKeys:
    """Signs and verifies; reloads the keys now and then."""

    def __init__(self, database: Database, cipher: KeyCipher, clock: Clock) -> None:
        self._database = database
        self._cipher = cipher
        self._clock = clock
        self._lock = Lock()
        self._known: OrderedDict[bytes, VerifiedToken] = OrderedDict()
        self._known_lock = Lock()
        self._keys: tuple[SigningKey, ...] = ()
        self._read_at: datetime | None = None

    def sign(
        self, claims: Mapping[str, object], *, typ: str, algorithm: str = ALGORITHMS[0]
    ) -> str:
        """Return the claims as compact JWS, signed by the current key. RFC 7515, RFC 7519."""
        current = self._current(algorithm)
        token = current.sign(claims, typ)
        self._remember(token, VerifiedToken(current.record.kid, typ, dict(claims)))
        return token

    def verify(self, token: str, *, typ: str) -> dict[str, Any]:
        """Return the claims of our token; times and audience are not checked.

        Raises ``TokenInvalid``.
        """
        known = self._known.get(digest_of(token))
        try:
            if known is None:
                known = self._verified(token)
        except (JoseError, ValueError, TypeError) as fault:
            raise TokenInvalid("not a token of this provider") from fault
        # The key may have been retired since.
        if known.typ.lower() != typ or self._key(known.kid) is None:
            raise TokenInvalid("not a token of this provider")
        return dict(known.claims)

    def _verified(self, token: str) -> VerifiedToken:
        header = jws.extract_compact(token.encode("ascii")).headers()
        signing = self._key(header.get("kid"))
        if signing is None:
            raise TokenInvalid("not a token of this provider")
        claims = jwt.decode(token, signing.key, [signing.record.algorithm]).claims
        known = VerifiedToken(signing.record.kid, str(header.get("typ", "")), claims)
        self._remember(token, known)
        return known

    def _remember(self, token: str, known: VerifiedToken) -> None:
        if known.typ != _REMEMBERED:
            return
        with self._known_lock:
            self._known[digest_of(token)] = known
            if len(self._known) > _CAPACITY:
                self._known.popitem(last=False)

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """Return the public keys that are not retired. RFC 7517 §5."""
        active = sorted(
            self._active(), key=lambda each: ALGORITHMS.index(each.record.algorithm)
        )
        return {"keys": [json.loads(each.record.public_jwk) for each in active]}

    def require_ready(self) -> None:
        """Check that every algorithm has a key. Raises ``SigningKeyFault``."""
        for algorithm in ALGORITHMS:
            self._current(algorithm)

    def _current(self, algorithm: str) -> SigningKey:
        now = self._clock()
        ready = [
            key
            for key in self._active()
            if key.record.algorithm == algorithm and key.record.signs_from <= now
        ]
        if not ready:
            raise SigningKeyFault(
                f"there is no signing key for {algorithm}: run `thenar migrate`"
            )
        return ready[-1]

    def _key(self, kid: object) -> SigningKey | None:
        return next((key for key in self._active() if key.record.kid == kid), None)

    def _active(self) -> list[SigningKey]:
        now = self._clock()
        # During a reload others use the known keys: an event loop must not block.
        if self._is_stale(now) and self._lock.acquire(blocking=not self._keys):
            try:
                if self._is_stale(now):
                    self._refresh(now)
            finally:
                self._lock.release()
        return [key for key in self._keys if is_active(key.record, now)]

    def _is_stale(self, now: datetime) -> bool:
        return self._read_at is None or now - self._read_at >= KEY_REFRESH_INTERVAL

    def _refresh(self, now: datetime) -> None:
        """Reload the keys; known ones serve while the database is unavailable."""
        try:
            self._keys, self._read_at = self._load(), now
        except DatabaseUnavailable:
            if not self._keys:
                raise

    def _load(self) -> tuple[SigningKey, ...]:
        with self._database.read() as stores:
            records = stores.keys.all()
        return tuple(SigningKey(record, self._private_key(record)) for record in records)

    def _private_key(self, record: SigningKeyRecord) -> RSAKey | ECKey:
        opened = json.loads(self._cipher.decrypt(record.sealed_private, record.kid))
        return ECKey.import_key(opened) if record.algorithm == "ES256" else _rsa_key(opened)


def _rsa_key(jwk: Mapping[str, str]) -> RSAKey:
    """Import our own unchanged key, without checking its primes (0.1 s)."""
    p, q, d, dp, dq, qi, e, n = (base64_to_int(jwk[name]) for name in _RSA_NUMBERS)
    numbers = RSAPrivateNumbers(p, q, d, dp, dq, qi, RSAPublicNumbers(e, n))
    return RSAKey.import_key(numbers.private_key(unsafe_skip_rsa_key_validation=True))
