"""Registers, changes and finds relying parties.

Secrets are 256 random bits, shown once and stored as SHA-256; redirect URIs are compared
exactly (RFC 9700 §4.1.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from oidc.errors import UnknownClient
from oidc.protocol.identifiers import digest_of, is_identifier, new_identifier, new_secret
from oidc.types import AuditEvent, Authentication, Client, ClientId, Profile, SectorIdentifier

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.clients.options import Checked
    from oidc.storage.transactions import Stores


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


def update(stores: Stores, client_id: ClientId, checked: Checked, *, now: datetime) -> Client:
    """Replace what was chosen; the rest stays, such as a secret that was replaced meanwhile.

    Raises ``ClientRefused``, ``UnknownClient``.
    """
    values = checked.accepted()
    changed = replace(require_locked(stores, client_id), **values)
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
