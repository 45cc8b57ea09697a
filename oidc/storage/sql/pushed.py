"""Pushed requests in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert

from oidc.storage.pushed import PushedRequest
from oidc.storage.schema import pushed_requests

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from oidc.types import ClientId


class SqlPushedRequests:
    """Implements ``PushedRequestStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, pushed: PushedRequest) -> None:
        """Add a request."""
        self._connection.execute(
            insert(pushed_requests).values(
                digest=pushed.digest,
                client_id=pushed.client_id,
                parameters=pushed.values,
                expires_at=pushed.expires_at,
            )
        )

    def consume(
        self, digest: bytes, client_id: ClientId, now: datetime
    ) -> PushedRequest | None:
        """Return and delete the request. One DELETE: of two concurrent calls, one gets it."""
        columns = pushed_requests.c
        taking = delete(pushed_requests).where(
            columns.digest == digest, columns.client_id == client_id, columns.expires_at > now
        )
        row = self._connection.execute(taking.returning(pushed_requests)).mappings().first()
        if row is None:
            return None
        return PushedRequest(digest, client_id, row["parameters"], row["expires_at"])

    def purge(self, expired_before: datetime) -> int:
        """Delete expired requests."""
        over = pushed_requests.c.expires_at < expired_before
        return self._connection.execute(delete(pushed_requests).where(over)).rowcount
