"""Store of the recent errors of each client."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class ClientError:
    """An error that was sent to a client: our own words, no request data."""

    client_id: ClientId
    happened_at: datetime
    endpoint: str
    error: str
    description: str


class ClientErrorStore(Store):
    """Stores a bounded number of errors per client."""

    def add(self, error: ClientError, *, keep: int) -> bool:
        """Add an error and keep the newest ``keep``; False if the client does not exist."""
        # Locked, so that a concurrent removal causes no foreign key error.
        locked = select(t.clients.c.client_id).where(t.clients.c.client_id == error.client_id)
        if not self._exists(locked.with_for_update(read=True, key_share=True)):
            return False
        columns = t.client_errors.c
        self._add(t.client_errors, error)
        of_client = select(columns.error_id).where(columns.client_id == error.client_id)
        newest = of_client.order_by(columns.error_id.desc()).limit(keep)
        others = columns.client_id == error.client_id, columns.error_id.not_in(newest)
        self._changed(delete(t.client_errors).where(*others))
        return True

    def of(self, client_id: ClientId) -> list[ClientError]:
        """Return a client's errors, newest first."""
        columns = t.client_errors.c
        query = select(t.client_errors).where(columns.client_id == client_id)
        return self._all(ClientError, query.order_by(columns.error_id.desc()))
