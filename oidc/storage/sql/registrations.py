"""Initial access tokens and registrations in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from oidc.storage.registrations import InitialAccessToken, Registration
from oidc.storage.schema import initial_access_tokens, registrations

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from oidc.types import ClientId


class SqlInitialTokens:
    """Implements ``InitialTokenStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, token: InitialAccessToken) -> None:
        """Add a token."""
        self._connection.execute(
            insert(initial_access_tokens).values(
                token_id=token.token_id,
                digest=token.digest,
                name=token.name,
                created_at=token.created_at,
                expires_at=token.expires_at,
            )
        )

    def find(self, digest: bytes) -> InitialAccessToken | None:
        """Return the token and lock it, so that registrations are counted one by one."""
        query = select(initial_access_tokens).where(initial_access_tokens.c.digest == digest)
        row = self._connection.execute(query.with_for_update()).mappings().one_or_none()
        return None if row is None else InitialAccessToken(**row)

    def all(self) -> list[InitialAccessToken]:
        """Return all tokens, oldest first."""
        columns = initial_access_tokens.c
        query = select(initial_access_tokens).order_by(columns.created_at, columns.token_id)
        return [InitialAccessToken(**row) for row in self._connection.execute(query).mappings()]

    def revoke(self, token_id: str, now: datetime) -> bool:
        """Revoke the token; False if unknown or already revoked."""
        columns = initial_access_tokens.c
        change = update(initial_access_tokens).where(
            columns.token_id == token_id, columns.revoked_at.is_(None)
        )
        return self._connection.execute(change.values(revoked_at=now)).rowcount == 1


class SqlRegistrations:
    """Implements ``RegistrationStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, registration: Registration) -> None:
        """Add a registration."""
        self._connection.execute(
            insert(registrations).values(
                client_id=registration.client_id,
                digest=registration.digest,
                token_id=registration.token_id,
                registered_at=registration.registered_at,
            )
        )

    def find(self, client_id: ClientId) -> Registration | None:
        """Return the registration, or None."""
        query = select(registrations).where(registrations.c.client_id == client_id)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else Registration(**row)

    def replace_digest(self, before: Registration, digest: bytes) -> bool:
        """Replace the token. One UPDATE: of two concurrent calls, one changes it."""
        change = update(registrations).where(
            registrations.c.client_id == before.client_id,
            registrations.c.digest == before.digest,
        )
        return self._connection.execute(change.values(digest=digest)).rowcount == 1

    def count_since(self, token_id: str, since: datetime) -> int:
        """Count the clients registered with this token since then."""
        query = select(func.count()).where(
            registrations.c.token_id == token_id, registrations.c.registered_at >= since
        )
        return int(self._connection.execute(query).scalar_one())
