"""Refresh tokens: opaque, rotated at each use, in families; and the rule of replay, here alone.

The successor of a spent token is stored encrypted under a key derived from its predecessor,
so a copied database holds no usable token.
"""

import os
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from oidc.protocol import digest_of, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code, EncryptedSuccessor, RefreshToken
from oidc.types import AuditEvent, ClientId, Grant, Lifetimes


class Verdict(Enum):
    """The decision about a presented code or refresh token."""

    USE = auto()
    SAME_SUCCESSOR = auto()
    EXPIRED = auto()
    REPLAY = auto()


def decide(
    presented: Code | RefreshToken, now: datetime, successor: RefreshToken | None = None
) -> Verdict:
    """Judge a code or refresh token; ``successor`` is what it was exchanged for.

    A spent one is in two hands (RFC 6749 §4.1.2, RFC 9700 §4.14.2). But a response may have
    been lost: for a few seconds, while the successor is unused, it is returned again.
    """
    if presented.spent and not _is_in_grace(presented, now, successor):
        return Verdict.REPLAY
    if presented.expires_at <= now:
        return Verdict.EXPIRED
    return Verdict.SAME_SUCCESSOR if presented.spent else Verdict.USE


def end_family(stores: Stores, reused: Code | RefreshToken, now: datetime) -> None:
    """End the grant with its codes and tokens. RFC 6749 §4.1.2, RFC 9700 §4.14.2.

    Audited once, with the client but not the person.
    """
    if stores.grants.find(reused.grant_id) is None:
        return
    stores.grants.revoke(reused.grant_id, now)
    credential = "code" if isinstance(reused, Code) else "refresh_token"
    stores.audit.record(
        AuditEvent.CREDENTIAL_REUSED, now, client=reused.client_id, credential=credential
    )


def _is_in_grace(
    spent: Code | RefreshToken, now: datetime, successor: RefreshToken | None
) -> bool:
    if isinstance(spent, Code) or spent.sealed_until is None or successor is None:
        return False
    return now < spent.sealed_until and not successor.spent


_NONCE_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class HeldToken:
    """A refresh token, as its client has it and as it is stored."""

    token: str = field(repr=False)
    stored: RefreshToken


def begin_family(
    stores: Stores,
    grant: Grant,
    lifetimes: Lifetimes,
    now: datetime,
    *,
    dpop_jkt: str | None = None,
) -> HeldToken:
    """Issue the first refresh token of a grant. The family's end never moves."""
    token, ends_at = new_secret(), now + timedelta(seconds=lifetimes.refresh_token_s)
    first = RefreshToken(
        digest_of(token), grant.grant_id, grant.client_id, now, ends_at, dpop_jkt=dpop_jkt
    )
    return _issue(stores, token, first, lifetimes, now)


def find(stores: Stores, token: str, client_id: ClientId) -> HeldToken | None:
    """Return this client's token, spent or not, locked: others must not spend it."""
    stored = stores.tokens.lock(digest_of(token))
    if stored is None or stored.client_id != client_id:
        return None
    return HeldToken(token, stored)


def successor_of(stores: Stores, held: HeldToken) -> HeldToken | None:
    """Return what a token was exchanged for, unless that is erased."""
    encrypted, digest = held.stored.sealed_successor, held.stored.digest
    if encrypted is None:
        return None
    nonce, content = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
    token = _cipher_from(held.token).decrypt(nonce, content, digest).decode("ascii")
    stored = stores.tokens.find(digest_of(token))
    return None if stored is None else HeldToken(token, stored)


def rotate(
    stores: Stores,
    held: HeldToken,
    lifetimes: Lifetimes,
    now: datetime,
    *,
    dpop_jkt: str | None = None,
) -> HeldToken:
    """Spend a token for its successor, bound to a key from now on."""
    token, nonce = new_secret(), os.urandom(_NONCE_BYTES)
    cipher, spent = _cipher_from(held.token), held.stored
    encrypted = nonce + cipher.encrypt(nonce, token.encode("ascii"), spent.digest)
    until = now + timedelta(seconds=lifetimes.refresh_grace_s)
    stores.tokens.spend(spent.digest, now, EncryptedSuccessor(encrypted, until))
    following = replace(spent, digest=digest_of(token), dpop_jkt=spent.dpop_jkt or dpop_jkt)
    return _issue(stores, token, following, lifetimes, now)


def _issue(
    stores: Stores, token: str, record: RefreshToken, lifetimes: Lifetimes, now: datetime
) -> HeldToken:
    """Store a token, which ends unless it is used in time."""
    idle_end = now + timedelta(seconds=lifetimes.refresh_token_idle_s)
    stored = replace(record, expires_at=min(idle_end, record.family_ends_at))
    stores.tokens.add(stored)
    return HeldToken(token, stored)


def _cipher_from(token: str) -> AESGCM:
    """Derive a key that only the token's holder has. RFC 5869."""
    kdf = HKDF(SHA256(), length=32, salt=None, info=b"thenar refresh token successor")
    return AESGCM(kdf.derive(token.encode("utf-8", "surrogatepass")))
