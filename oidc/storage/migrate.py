"""Migrates the protocol database and refuses versions that this program cannot use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine

from oidc.errors import DatabaseNotMigrated
from oidc.plumbing.schema_version import SchemaVersion
from oidc.storage.database import Database
from oidc.storage.transactions import Stores
from oidc.types import Process

VERSION_TABLE: Final = "oidc_version"

VERSION: Final = SchemaVersion(
    Database.name,
    Path(__file__).with_name("migrations"),
    VERSION_TABLE,
    lock=0x7468656E6172,
    fault=DatabaseNotMigrated,
)

require_migrated = VERSION.require_usable


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


def running_processes(engine: Engine, now: datetime) -> list[Process]:
    """Return the processes of both databases; none where a version cannot roll."""
    if VERSION.state(engine)[1] is None:
        return []
    with Database(engine).read() as stores:
        return stores.processes.running(now)
