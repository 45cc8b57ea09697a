"""Single-use identifiers in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite

from oidc.storage.schema import used_identifiers

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


class SqlReplay:
    """Implements ``ReplayStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def use(self, digest: bytes, expires_at: datetime) -> bool:
        """Use the identifier; False if it was used before."""
        dialect = postgresql if self._connection.dialect.name == "postgresql" else sqlite
        added = self._connection.execute(
            dialect.insert(used_identifiers)
            .values(digest=digest, expires_at=expires_at)
            .on_conflict_do_nothing(index_elements=["digest"])
            .returning(used_identifiers.c.digest)
        )
        return added.first() is not None

    def purge(self, expired_before: datetime) -> int:
        """Delete expired identifiers."""
        over = used_identifiers.c.expires_at < expired_before
        return self._connection.execute(delete(used_identifiers).where(over)).rowcount
