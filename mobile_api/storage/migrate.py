"""Migrates the biometric database and checks its version."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from mobile_api.errors import NotMigrated
from mobile_api.storage.database import writing

MIGRATIONS: Final = Path(__file__).with_name("migrations")

VERSION_TABLE: Final = "mobile_version"
"""Its own name, so that another Alembic history can share a PostgreSQL database."""

LOCK: Final = 0x7061_6C6D_7331
"""Number of the PostgreSQL advisory lock for migrations; arbitrary."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Apply the missing migrations. A new SQLite file gets mode 0600."""
    if engine.dialect.name == "sqlite" and engine.url.database:
        _touch_private(Path(engine.url.database))
    config = _config()
    with writing(engine).begin() as connection:
        _lock_migrations(connection)
        config.attributes["connection"] = connection
        config.attributes["version_table"] = VERSION_TABLE
        command.upgrade(config, revision)


def require_current(engine: Engine) -> None:
    """Check that the database is at the newest version.

    Raises:
        NotMigrated: it is older, newer or empty.
    """
    expected = set(ScriptDirectory.from_config(_config()).get_heads())
    if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists():
        found: set[str] = set()
    else:
        with engine.connect() as connection:
            options = {"version_table": VERSION_TABLE}
            context = MigrationContext.configure(connection, opts=options)
            found = set(context.get_current_heads())
    if found != expected:
        raise NotMigrated(
            "the biometric database does not have the version this program needs:"
            " run `thenar migrate`"
        )


def _lock_migrations(connection: Connection) -> None:
    """Make concurrent migrations run one after the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": LOCK})


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _touch_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
