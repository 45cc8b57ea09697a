"""The version of a database's tables: migrations, and the check before anything else."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import String, column, inspect, select, table, text

from oidc.plumbing.database_engine import truncate_log, writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine


_VACUUM_WAIT_S: Final = 30
"""How long a reader may delay the end of ``VACUUM``."""


class SchemaVersion:
    """The version of one database's tables.

    Args:
        scripts: Alembic's folder of migrations.
        table: holds the version: several histories may share one PostgreSQL database.
        lock: arbitrary number of the advisory lock for migrations.
    """

    def __init__(self, scripts: Path, table: str, lock: int) -> None:
        self._scripts, self._table, self._lock = scripts, table, lock

    def upgrade(
        self, engine: Engine, version: str, complete: Callable[[Connection], None] | None = None
    ) -> None:
        """Apply the missing migrations; concurrent calls run one after the other.

        A new SQLite file is readable by its owner only. ``complete`` ends the transaction: what
        it does is there if, and only if, the version is.
        """
        from alembic import command  # noqa: PLC0415 - only a migration needs it
        from alembic.config import Config  # noqa: PLC0415

        path = _file_of(engine)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        with writing(engine).begin() as connection:
            if connection.dialect.name == "postgresql":
                lock = text("SELECT pg_advisory_xact_lock(:name)")
                connection.execute(lock, {"name": self._lock})
            config = Config()
            scripts = str(self._scripts).replace("%", "%%")
            config.set_main_option("script_location", scripts)
            config.set_main_option("path_separator", "os")
            config.attributes.update(connection=connection, version_table=self._table)
            command.upgrade(config, version)
            if complete is not None:
                complete(connection)
        _rewrite(engine)

    def fault(self, engine: Engine) -> str | None:
        """Return what is wrong, and what to do; None if it is this program's version."""
        path, found = _file_of(engine), None
        # Connecting would create a missing file.
        if path is None or path.exists():
            with engine.connect() as connection:
                found = self._found(connection)
        if found == self._newest:
            return None
        state = "has no tables yet" if found is None else f"is at version {found}"
        return f"{state}, this program needs {self._newest}: run `thenar migrate`"

    @cached_property
    def _newest(self) -> str:
        """The number in the name of the last migration is its version."""
        return max(file.name for file in self._scripts.glob("versions/*_*.py"))[:4]

    def _found(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table(self._table):
            return None
        versions = select(column("version_num", String)).select_from(table(self._table))
        return connection.execute(versions).scalar()


def rewrite_later(connection: Connection) -> None:
    """Have a SQLite file written anew after its migration: free pages may hold old rows.

    The file itself remembers it, so that a migration killed before does it the next time.
    """
    connection.execute(text("PRAGMA user_version=1"))


def _rewrite(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        return
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        if driver is None or driver.execute("PRAGMA user_version").fetchone() == (0,):
            return
        driver.execute("VACUUM")
        driver.execute("PRAGMA user_version=0")
    truncate_log(engine, _VACUUM_WAIT_S)


def _file_of(engine: Engine) -> Path | None:
    """Return the file of a SQLite database, or None."""
    name = engine.url.database
    is_file = engine.dialect.name == "sqlite" and name not in {None, "", ":memory:"}
    return Path(str(name)) if is_file else None
