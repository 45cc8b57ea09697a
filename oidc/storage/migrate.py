"""Migrates the protocol database and refuses other versions."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from oidc.errors import DatabaseNotMigrated
from oidc.storage.database import WRITES

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

VERSION_TABLE = "oidc_version"
"""Own name: several Alembic histories may share one PostgreSQL database."""

_LOCK = 0x7468656E6172
"""Arbitrary number of the advisory lock for migrations."""

_SCRIPTS = Path(__file__).parent / "migrations"


def migrate_database(engine: Engine, version: str = "head") -> None:
    """Upgrade to the newest version, or the given one.

    A new SQLite file is readable by its owner only.
    """
    path = _file_of(engine)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        _queue_behind_others(connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, version)


def require_migrated(engine: Engine) -> None:
    """Check that the database has this program's version.

    Raises:
        DatabaseNotMigrated: it is empty, older or newer.
    """
    wanted, found = _newest(), None
    path = _file_of(engine)
    # Connecting would create a missing file.
    if path is None or path.exists():
        with engine.begin() as connection:
            found = _revision(connection)
    if found != wanted:
        state = "has no tables yet" if found is None else f"is at version {found}"
        raise DatabaseNotMigrated(
            f"the protocol database {state}, this program needs {wanted}: run `thenar migrate`"
        )


def _file_of(engine: Engine) -> Path | None:
    """Return the file of a SQLite database, or None."""
    name = engine.url.database
    is_file = engine.dialect.name == "sqlite" and name not in {None, "", ":memory:"}
    return Path(str(name)) if is_file else None


def _queue_behind_others(connection: Connection) -> None:
    """Run concurrent migrations one after the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _LOCK})


@cache
def _newest() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["version_table"] = VERSION_TABLE
    return config


def _revision(connection: Connection) -> str | None:
    options = {"version_table": VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options).get_current_revision()
