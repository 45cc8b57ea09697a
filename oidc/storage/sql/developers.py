"""Developers, their clients and sessions in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from oidc.storage.developers import Developer
from oidc.storage.schema import clients, developer_clients, developers, portal_sessions
from oidc.storage.sql.clients import client_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from oidc.storage.developers import DeveloperId
    from oidc.types import Client, ClientId, PairwiseSubject


class SqlDevelopers:
    """Implements ``DeveloperStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, developer: Developer) -> None:
        """Add an invitation."""
        self._connection.execute(
            insert(developers).values(
                developer_id=developer.developer_id,
                email=developer.email,
                note=developer.note,
                invited_at=developer.invited_at,
                invitation_ends_at=developer.invitation_ends_at,
                invitation_digest=developer.invitation_digest,
            )
        )

    def all(self) -> list[Developer]:
        """Return all developers, oldest first."""
        query = select(developers).order_by(developers.c.invited_at, developers.c.developer_id)
        return [Developer(**row) for row in self._connection.execute(query).mappings()]

    def of_subject(self, subject: PairwiseSubject) -> Developer | None:
        """Return the developer with this subject, or None."""
        query = select(developers).where(developers.c.subject == subject)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else Developer(**row)

    def is_invited(self, digest: bytes, now: datetime) -> bool:
        """Tell whether an invitation is valid now."""
        query = select(developers.c.developer_id).where(
            developers.c.invitation_digest == digest, developers.c.invitation_ends_at > now
        )
        return self._connection.execute(query).one_or_none() is not None

    def join(self, digest: bytes, subject: PairwiseSubject, now: datetime) -> bool:
        """Use an invitation. One UPDATE: of two concurrent calls, one changes the row."""
        change = update(developers).where(
            developers.c.invitation_digest == digest, developers.c.invitation_ends_at > now
        )
        joined = change.values(invitation_digest=None, subject=subject, joined_at=now)
        return self._connection.execute(joined).rowcount == 1

    def remove(self, developer_id: DeveloperId) -> bool:
        """Delete a developer and all sessions."""
        change = delete(developers).where(developers.c.developer_id == developer_id)
        return self._connection.execute(change).rowcount == 1


class SqlOwnedClients:
    """Implements ``OwnedClientStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def assign(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Make the developer the owner."""
        self._connection.execute(
            insert(developer_clients).values(client_id=client_id, developer_id=developer_id)
        )

    def find(self, client_id: ClientId, developer_id: DeveloperId) -> Client | None:
        """Return the client if the developer owns it."""
        query = self._owned(developer_id).where(clients.c.client_id == client_id)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else client_of(row)

    def of(self, developer_id: DeveloperId) -> list[Client]:
        """Return the developer's clients, oldest first."""
        query = self._owned(developer_id).order_by(clients.c.created_at, clients.c.client_id)
        return [client_of(row) for row in self._connection.execute(query).mappings()]

    def _owned(self, developer_id: DeveloperId) -> Select[Any]:
        joined = clients.join(developer_clients)
        owner = developer_clients.c.developer_id
        return select(clients).select_from(joined).where(owner == developer_id)


class SqlPortalSessions:
    """Implements ``PortalSessionStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, digest: bytes, developer_id: DeveloperId, expires_at: datetime) -> None:
        """Add a session."""
        self._connection.execute(
            insert(portal_sessions).values(
                digest=digest, developer_id=developer_id, expires_at=expires_at
            )
        )

    def find(self, digest: bytes, now: datetime) -> Developer | None:
        """Return the session's developer; None if unknown or expired."""
        joined = developers.join(portal_sessions)
        query = select(developers).select_from(joined)
        living = query.where(
            portal_sessions.c.digest == digest, portal_sessions.c.expires_at > now
        )
        row = self._connection.execute(living).mappings().one_or_none()
        return None if row is None else Developer(**row)

    def end(self, digest: bytes) -> None:
        """Delete a session."""
        self._connection.execute(
            delete(portal_sessions).where(portal_sessions.c.digest == digest)
        )

    def purge(self, now: datetime) -> int:
        """Delete expired sessions."""
        change = delete(portal_sessions).where(portal_sessions.c.expires_at <= now)
        return self._connection.execute(change).rowcount
