"""Transactions of the protocol database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from oidc.plumbing import database_engine as engines
from oidc.plumbing.database import Database as AnyDatabase
from oidc.storage.transactions import Stores


class Database(AnyDatabase[Stores]):
    """The protocol database."""

    name = "the protocol database"
    wait_s = 10
    new_stores = Stores

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[Stores]:
        """Yield the stores of a write transaction; append the audit entries at the end."""
        with super().stores(connection) as stores:
            yield stores
            if "audit" in vars(stores):  # made, so used
                stores.audit.append_recorded()


def open_engine(url: str, connections: int = 20) -> Engine:
    """Return an engine of the protocol database; a reload of keys alone wants a second one."""
    return engines.open_engine(url, most_connections=connections, wait_s=Database.wait_s)
