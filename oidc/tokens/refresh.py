"""Refresh tokens: opaque, rotated at each use, in families.

A token used twice is stolen: its family is revoked (RFC 9700 §4.14.2). But for a few seconds,
while the successor is unused, it is returned again: a response may have been lost. Until then
it is stored encrypted under a key derived from its predecessor, so a copied database holds no
usable token.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from oidc.protocol.identifiers import digest_of, new_secret
from oidc.storage.stores.grants import EncryptedSuccessor, RefreshToken
from oidc.storage.transactions import Stores
from oidc.tokens.replay import Credential, end_grant
from oidc.types import ClientId, Grant, Lifetimes

_NONCE_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class IssuedRefreshToken:
    """A refresh token and when it ends unless used."""

    token: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PresentedToken:
    """A client's refresh token, and its stored record."""

    token: str = field(repr=False)
    stored: RefreshToken


@dataclass(frozen=True, slots=True)
class Rotated:
    """The grant of a refresh token, and its successor."""

    grant: Grant
    successor: IssuedRefreshToken


@dataclass(frozen=True, slots=True)
class _Family:
    ends_at: datetime
    dpop_jkt: str | None


def begin_family(
    stores: Stores,
    grant: Grant,
    lifetimes: Lifetimes,
    now: datetime,
    *,
    dpop_jkt: str | None = None,
) -> IssuedRefreshToken:
    """Issue the first refresh token of a grant. The family's end never moves."""
    family = _Family(now + timedelta(seconds=lifetimes.refresh_token_s), dpop_jkt)
    return _issue(stores, grant, family, lifetimes, now, new_secret())


def find(stores: Stores, token: str, client_id: ClientId) -> PresentedToken | None:
    """Return this client's token, spent or not, expired or not. Changes nothing."""
    stored = stores.tokens.find(digest_of(token))
    return (
        None
        if stored is None or stored.client_id != client_id
        else PresentedToken(token, stored)
    )


def is_replayed(stores: Stores, presented: PresentedToken, now: datetime) -> bool:
    """Return whether a token was used before, and nothing gives its successor again."""
    return presented.stored.spent and _successor(stores, presented, now) is None


def find_usable(
    stores: Stores, token: str, client_id: ClientId, now: datetime
) -> PresentedToken | None:
    """Return this client's token if valid; a replayed one revokes its family."""
    presented = find(stores, token, client_id)
    if presented is None:
        return None
    if is_replayed(stores, presented, now):
        end_grant(stores, presented.stored.grant_id, Credential.REFRESH_TOKEN, now)
        return None
    return presented if presented.stored.expires_at > now else None


def rotate(
    stores: Stores,
    presented: PresentedToken,
    lifetimes: Lifetimes,
    now: datetime,
    *,
    dpop_jkt: str | None = None,
) -> Rotated | None:
    """Spend a refresh token for its successor, bound to a key from now on; None if revoked.

    Within the grace a spent token returns the same successor to the holder of its key;
    later it revokes the family.
    """
    stored = presented.stored
    grant = stores.grants.find(stored.grant_id)
    if grant is None:
        return None
    successor = new_secret()
    if stores.tokens.spend(
        stored.digest, now, _encrypted_successor(presented, successor, lifetimes, now)
    ):
        family = _Family(stored.family_ends_at, stored.dpop_jkt or dpop_jkt)
        return Rotated(grant, _issue(stores, grant, family, lifetimes, now, successor))
    # Another request was faster: read what it stored.
    spent = stores.tokens.find(stored.digest)
    again = (
        None
        if spent is None
        else _successor(stores, PresentedToken(presented.token, spent), now)
    )
    if again is None or not _opens(stores, again, dpop_jkt):
        end_grant(stores, stored.grant_id, Credential.REFRESH_TOKEN, now)
        return None
    return Rotated(grant, again)


def exchange_unrotated(stores: Stores, presented: PresentedToken) -> Rotated | None:
    """Return the grant of a token that stays as it is, or None."""
    grant = stores.grants.find(presented.stored.grant_id)
    stored = IssuedRefreshToken(presented.token, presented.stored.expires_at)
    return None if grant is None else Rotated(grant, stored)


def _issue(
    stores: Stores,
    grant: Grant,
    family: _Family,
    lifetimes: Lifetimes,
    now: datetime,
    token: str,
) -> IssuedRefreshToken:
    idle_end = now + timedelta(seconds=lifetimes.refresh_token_idle_s)
    expires_at = min(idle_end, family.ends_at)
    stores.tokens.add(
        RefreshToken(
            digest=digest_of(token),
            grant_id=grant.grant_id,
            client_id=grant.client_id,
            expires_at=expires_at,
            family_ends_at=family.ends_at,
            dpop_jkt=family.dpop_jkt,
        )
    )
    return IssuedRefreshToken(token, expires_at)


def _encrypted_successor(
    presented: PresentedToken, successor: str, lifetimes: Lifetimes, now: datetime
) -> EncryptedSuccessor:
    nonce = os.urandom(_NONCE_BYTES)
    cipher, digest = _cipher_from(presented.token), presented.stored.digest
    encrypted = nonce + cipher.encrypt(nonce, successor.encode("ascii"), digest)
    return EncryptedSuccessor(encrypted, now + timedelta(seconds=lifetimes.refresh_grace_s))


def _successor(
    stores: Stores, presented: PresentedToken, now: datetime
) -> IssuedRefreshToken | None:
    """Return the successor again; None after the grace or its use."""
    stored = presented.stored
    if (
        stored.sealed_successor is None
        or stored.sealed_until is None
        or stored.sealed_until <= now
    ):
        return None
    nonce, encrypted = (
        stored.sealed_successor[:_NONCE_BYTES],
        stored.sealed_successor[_NONCE_BYTES:],
    )
    token = (
        _cipher_from(presented.token).decrypt(nonce, encrypted, stored.digest).decode("ascii")
    )
    successor = stores.tokens.find(digest_of(token))
    if successor is None or successor.spent:
        return None
    return IssuedRefreshToken(token, successor.expires_at)


def _opens(stores: Stores, issued: IssuedRefreshToken, dpop_jkt: str | None) -> bool:
    """Tell whether this key, or none, may use the token."""
    stored = stores.tokens.find(digest_of(issued.token))
    return stored is not None and stored.dpop_jkt in (None, dpop_jkt)


def _cipher_from(token: str) -> AESGCM:
    """Derive a key that only the token's holder has. RFC 5869."""
    kdf = HKDF(SHA256(), length=32, salt=None, info=b"thenar refresh token successor")
    return AESGCM(kdf.derive(token.encode("utf-8", "surrogatepass")))
