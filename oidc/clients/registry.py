"""Registers, changes and finds relying parties; compares and rotates their secrets.

Secrets are 256 random bits, shown once and stored as SHA-256. Two are valid during a rollover,
never three.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from oidc.client import Authentication, Client, Profile
from oidc.clients.options import Checked
from oidc.errors import ClientRefused, UnknownClient
from oidc.protocol import digest_of, is_identifier, new_identifier, new_secret
from oidc.types import AuditEvent, ClientId, SectorIdentifier

if TYPE_CHECKING:
    from oidc.storage.database import Stores

_NO_SECRET: Final = digest_of("")
"""Compared for an unknown client, in the same time."""

_NOTHING: Final = bytes(len(_NO_SECRET))
"""Compared without a former secret: no input has this digest."""


@dataclass(frozen=True, slots=True)
class RegisteredClient:
    """A client and its secret, which is shown once; empty if it has none."""

    client: Client
    secret: str = field(repr=False)


def register(stores: Stores, checked: Checked, *, now: datetime) -> RegisteredClient:
    """Register a client in its own sector. Raises ``ClientRefused``."""
    values, client_id = checked.accepted(), ClientId(new_identifier())
    has_secret = values["authentication"] is Authentication.CLIENT_SECRET
    secret = new_secret() if has_secret else ""
    client = Client(
        client_id=client_id,
        sector=SectorIdentifier(client_id),
        secret_digest=digest_of(secret) if has_secret else b"",
        created_at=now,
        **values,
    )
    stores.clients.add(client)
    stores.audit.record(AuditEvent.CLIENT_REGISTERED, now, client=client_id)
    return RegisteredClient(client, secret)


def update(stores: Stores, locked: Client, checked: Checked, *, now: datetime) -> Client:
    """Replace what was chosen of a client that is locked; the rest stays.

    Raises ``ClientRefused``.
    """
    changed = replace(locked, **checked.accepted())
    stores.clients.replace(changed)
    record_change(stores, AuditEvent.CLIENT_CHANGED, changed, now)
    return changed


def find(stores: Stores, client_id: str) -> Client | None:
    """Return the client, or None."""
    if not is_identifier(client_id):
        return None
    return stores.clients.find(ClientId(client_id))


def require(stores: Stores, client_id: str) -> Client:
    """Return the client. Raises ``UnknownClient``."""
    found = find(stores, client_id)
    if found is None:
        raise UnknownClient("there is no such client")
    return found


def require_locked(stores: Stores, client_id: str) -> Client:
    """Return the client, locked for a change. Raises ``UnknownClient``."""
    found = stores.clients.lock(ClientId(client_id)) if is_identifier(client_id) else None
    if found is None:
        raise UnknownClient("there is no such client")
    return found


def meets_profile(client: Client, profile: Profile) -> bool:
    """Return whether an installation with this profile serves the client."""
    return profile is Profile.STANDARD or client.profile is profile


def remove(stores: Stores, client_id: str, *, now: datetime) -> None:
    """Remove the client with its grants; pseudonyms stay, unused.

    Raises ``UnknownClient``.
    """
    record_change(stores, AuditEvent.CLIENT_REMOVED, require(stores, client_id), now)
    stores.clients.remove(ClientId(client_id))


def record_change(
    stores: Stores, event: AuditEvent, client: Client, now: datetime, **details: int | str
) -> None:
    """Record a change of a client, and tell its developers, except who made it."""
    stores.audit.record(event, now, client=client.client_id, **details)
    stores.team_notices.tell(client, event, stores.audit.actor, now)


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
