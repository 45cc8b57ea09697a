"""Migrates the protocol database and refuses other versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from oidc.errors import DatabaseNotMigrated
from oidc.plumbing.schema_version import SchemaVersion
from oidc.storage.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

    from oidc.storage.transactions import Stores

VERSION_TABLE: Final = "oidc_version"

_VERSION: Final = SchemaVersion(
    Database.name,
    Path(__file__).with_name("migrations"),
    VERSION_TABLE,
    lock=0x7468656E6172,
    fault=DatabaseNotMigrated,
)

require_migrated = _VERSION.require_newest


def migrate_database(
    engine: Engine,
    version: str = "head",
    complete: Callable[[Stores], None] = lambda _stores: None,
) -> None:
    """Upgrade to the newest version, or the given one. A new SQLite file gets mode 0600.

    ``complete`` runs at the end, in the same transaction. Raises ``DatabaseNotMigrated``.
    """

    def end(connection: Connection) -> None:
        with Database(engine).stores(connection) as stores:
            complete(stores)

    _VERSION.upgrade(engine, version, end)
