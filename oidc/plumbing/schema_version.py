"""The version of a database's tables: migrations, and the check before anything else."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import String, column, inspect, select, table, text

from oidc.plumbing.database_engine import writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

_OLDEST_RELEASE: Final = "0.2.0"
"""The oldest release whose databases this program upgrades."""


class SchemaVersion:
    """The version of one database's tables.

    Args:
        name: of the database, in messages.
        scripts: Alembic's folder of migrations.
        table: holds the version: several histories may share one PostgreSQL database.
        lock: arbitrary number of the advisory lock for migrations.
        fault: raised where the version is not this program's.
    """

    def __init__(
        self, name: str, scripts: Path, table: str, *, lock: int, fault: type[Exception]
    ) -> None:
        self._name, self._scripts, self._table = name, scripts, table
        self._lock, self._fault = lock, fault

    def upgrade(
        self, engine: Engine, version: str, complete: Callable[[Connection], None] | None = None
    ) -> None:
        """Apply the missing migrations; concurrent calls run one after the other.

        A new SQLite file is readable by its owner only. ``complete`` ends the transaction: what
        it does is there if, and only if, the version is.
        """
        path = _file_of(engine)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        with writing(engine).begin() as connection:
            if connection.dialect.name == "postgresql":
                lock = text("SELECT pg_advisory_xact_lock(:name)")
                connection.execute(lock, {"name": self._lock})
            found = self._found(connection)
            if found is not None and found not in self._versions:
                raise self._fault(self._advice(found))
            self._run_migrations(connection, version)
            if complete is not None:
                complete(connection)

    def require_newest(self, engine: Engine) -> None:
        """Check that the database is at this program's version; else say what to do."""
        path, found = _file_of(engine), None
        # Connecting would create a missing file.
        if path is None or path.exists():
            with engine.connect() as connection:
                found = self._found(connection)
        if found != self._versions[-1]:
            raise self._fault(self._advice(found))

    def _run_migrations(self, connection: Connection, version: str) -> None:
        from alembic import command  # noqa: PLC0415 - only a migration needs it
        from alembic.config import Config  # noqa: PLC0415

        config = Config()
        config.set_main_option("script_location", str(self._scripts).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes.update(connection=connection, version_table=self._table)
        command.upgrade(config, version)

    def _advice(self, found: str | None) -> str:
        """Say what is wrong with a version, and what to do."""
        newest = self._versions[-1]
        if found is None:
            return f"{self._name} has no tables yet: run `thenar migrate`"
        state = f"{self._name} is at version {found}, this program needs {newest}"
        if found in self._versions:
            return f"{state}: run `thenar migrate`"
        if found > newest:
            return f"{state}: run the newer program that made it"
        return (
            f"{state}, from {_OLDEST_RELEASE} on: if it is older, first run `thenar migrate` of"
            f" Thenar {_OLDEST_RELEASE}; if no release made it, restore another backup"
        )

    @cached_property
    def _versions(self) -> list[str]:
        """The numbers in the names of the migrations, in order."""
        return sorted(file.name[:4] for file in self._scripts.glob("versions/*_*.py"))

    def _found(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table(self._table):
            return None
        versions = select(column("version_num", String)).select_from(table(self._table))
        return connection.execute(versions).scalar()


def _file_of(engine: Engine) -> Path | None:
    """Return the file of a SQLite database, or None."""
    name = engine.url.database
    is_file = engine.dialect.name == "sqlite" and name not in {None, "", ":memory:"}
    return Path(str(name)) if is_file else None
