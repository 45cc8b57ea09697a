"""Client secrets: compared and rotated. Two are valid during a rollover, never three."""

from __future__ import annotations

import hmac
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from oidc.clients.registry import find, record_change, require_locked
from oidc.errors import ClientRefused
from oidc.protocol.identifiers import digest_of, new_secret
from oidc.types import AuditEvent, Authentication

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.storage.transactions import Stores
    from oidc.types import Client

_NO_SECRET: Final = digest_of("")
"""Compared for an unknown client, in the same time."""

_NOTHING: Final = bytes(len(_NO_SECRET))
"""Compared without a former secret: no input has this digest."""


def authenticate(stores: Stores, client_id: str, secret: str, now: datetime) -> Client | None:
    """Return the client if the secret is its current or former one.

    Constant time; None alike for unknown clients and wrong secrets. RFC 6749 §2.3.1.
    """
    client = find(stores, client_id)
    presented = digest_of(secret)
    is_right = hmac.compare_digest(
        _NO_SECRET if client is None else client.secret_digest, presented
    )
    is_former = hmac.compare_digest(_former_digest(client, now), presented)
    return client if is_right or is_former else None


def rotate_secret(
    stores: Stores, client_id: str, *, now: datetime, overlap: timedelta = timedelta(0)
) -> str:
    """Replace the secret; the old one stays valid for ``overlap``.

    Raises ``UnknownClient``; ``ClientRefused`` for other authentication methods.
    """
    secret, client = new_secret(), require_locked(stores, client_id)
    if client.authentication is not Authentication.CLIENT_SECRET:
        raise ClientRefused(f"the client authenticates by {client.authentication}")
    ends = overlap > timedelta(0)
    changed = replace(
        client,
        secret_digest=digest_of(secret),
        former_secret_digest=client.secret_digest if ends else None,
        former_secret_ends_at=now + overlap if ends else None,
    )
    stores.clients.replace(changed)
    overlap_s = int(overlap.total_seconds())
    record_change(stores, AuditEvent.SECRET_ROTATED, changed, now, overlap_s=overlap_s)
    return secret


def _former_digest(client: Client | None, now: datetime) -> bytes:
    """Return the digest of the former secret while it is valid."""
    if client is None or client.former_secret_digest is None:
        return _NOTHING
    ends_at = client.former_secret_ends_at
    return client.former_secret_digest if ends_at is not None and now < ends_at else _NOTHING
