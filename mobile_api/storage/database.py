"""Transactions of the biometric database, SQLite or PostgreSQL."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

from sqlalchemy import Engine

from mobile_api.storage.process_lock import process_lock
from mobile_api.storage.transaction import Transaction
from oidc.plumbing import database as plumbing
from oidc.plumbing import database_engine as engines

CONNECTIONS: Final = 45
"""Most connections. Each of 40 threads may hold one and wait for the gallery sync, which needs
two more; a rebuild under a new key needs three."""


class Database(plumbing.Database[Transaction]):
    """The biometric database."""

    name = "the biometric database"
    wait_s = 30
    new_stores = Transaction

    def process_lock(self, work: str) -> AbstractContextManager[None]:
        """Hold a named lock across all processes of this database."""
        return process_lock(self.engine, work)


def open_engine(database_url: str) -> Engine:
    """Return an engine of the biometric database."""
    return engines.open_engine(
        database_url, most_connections=CONNECTIONS, wait_s=Database.wait_s
    )
