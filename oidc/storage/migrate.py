"""Migrates the protocol database and refuses versions that this program cannot use."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine

from oidc.errors import DatabaseNotMigrated
from oidc.plumbing.schema_version import SchemaVersion
from oidc.storage.columns import metadata
from oidc.storage.database import Database, Stores
from oidc.types import Running

VERSION_TABLE: Final = "oidc_version"

VERSION: Final = SchemaVersion(
    Database.name,
    Path(__file__).with_name("migrations"),
    VERSION_TABLE,
    lock=0x7468656E6172,
    fault=DatabaseNotMigrated,
    tables=metadata,
)

require_migrated = VERSION.require_known


def migrate_database(
    engine: Engine,
    version: str | None = None,
    complete: Callable[[Stores], None] = lambda _stores: None,
    running: Mapping[str, str] | None = None,
    *,
    contracts: bool = False,
) -> None:
    """Upgrade as ``SchemaVersion`` does. Raises ``DatabaseNotMigrated``."""

    def end(connection: Connection) -> None:
        with Database(engine).stores(connection) as stores:
            complete(stores)

    VERSION.upgrade(engine, version, end, running, contracts=contracts)


def running(engine: Engine, now: datetime) -> Running:
    """Return what the database says of its service. Raises ``DatabaseNotMigrated``."""
    found, oldest = VERSION.known_state(engine)
    if found is None:
        return Running(is_new=True, is_joined=False, processes=[])
    with Database(engine).read() as stores:
        is_joined = stores.aliases.proof() is not None
        processes = stores.processes.running(now) if oldest is not None else []
    return Running(is_new=False, is_joined=is_joined, processes=processes)
