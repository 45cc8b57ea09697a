"""The version of a database's tables: migrations, and which programs may use them.

A migration named ``NNNN_contract_…`` takes away what the program before it uses; any other one
expands: that program goes on. Beside Alembic's version stands the oldest program, by its newest
migration, that may use the tables. Releases before 0.3.0 left none: they cannot roll.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    Connection,
    Engine,
    MetaData,
    column,
    func,
    inspect,
    select,
    table,
    text,
    update,
)
from sqlalchemy.exc import OperationalError

from oidc.plumbing.database_engine import writing
from oidc.plumbing.patience import ENDLESS, JOBS, patience

if TYPE_CHECKING:
    from alembic.config import Config

_OLDEST_RELEASE: Final = "0.2.0"
"""The oldest release whose databases this program upgrades."""

_LOCK_TIMEOUT: Final = "500ms"
"""Others wait behind a migration that waits; shorter than PostgreSQL's deadlock timeout."""

_LOCK_NOT_AVAILABLE: Final = "55P03"


@dataclass(frozen=True, slots=True)
class Step:
    """A migration that a database lacks.

    Attributes:
        kind: ``create``, ``stop`` (the service first), ``expand`` or ``contract``.
        rows: of each table that it rewrites.
        duration_s: at the speed that was measured for it.
    """

    number: str
    kind: str
    purpose: str
    rows: Mapping[str, int]
    duration_s: float


class SchemaVersion:
    """The version of one database's tables.

    Args:
        name: of the database, in messages.
        scripts: Alembic's folder of migrations.
        table: holds the version: several histories may share one PostgreSQL database.
        lock: arbitrary number of the advisory lock for migrations.
        fault: raised where this program cannot use the version.
        tables: what a database of this program has.
    """

    def __init__(
        self,
        name: str,
        scripts: Path,
        table: str,
        *,
        lock: int,
        fault: type[Exception],
        tables: MetaData,
    ) -> None:
        self._name, self._scripts, self._table = name, scripts, table
        self._lock, self._fault, self._tables = lock, fault, tables

    @property
    def newest(self) -> str:
        """The newest migration of this program."""
        return max(self._steps)

    @patience(ENDLESS)
    def upgrade(
        self,
        engine: Engine,
        version: str | None = None,
        complete: Callable[[Connection], None] | None = None,
        running: Mapping[str, str] | None = None,
        *,
        contracts: bool = False,
    ) -> None:
        """Apply missing migrations; concurrent calls run one after the other.

        A new SQLite file is readable by its owner only.

        Args:
            engine: of the database.
            version: the last one to apply; by default the last that expands.
            complete: ends the transaction: what it does is there if and only if the version is.
            running: processes of this database, with the newest migration that each knows.
            contracts: apply all.
        """
        path = _file_of(engine)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        with self._telling_what_is_locked(), writing(engine).begin() as connection:
            self._lock_others_out(connection)
            found, oldest = self._state(connection)
            if found not in {None, *self._steps}:
                self._require_usable(found, oldest)
            steps = self._steps_to_apply(found, oldest, version, contracts=contracts)
            contracted = max((each for each in steps if self._steps[each]), default="")
            if oldest is not None:
                self._prepare_beside_others(connection, contracted, running or {})
            if steps:
                self._run_migrations(connection, steps[-1])
            if contracted:
                row = table(self._table, column("oldest_program"))
                connection.execute(update(row).values(oldest_program=contracted))
            if version is None:
                self._require_content(connection)
            if complete is not None:
                complete(connection)

    def require_usable(self, engine: Engine) -> None:
        """Check that this program may use the database; else say what to do."""
        self._require_usable(*self.state(engine))

    def require_known(self, engine: Engine) -> None:
        """Check that the tables, too, are those of the version: its number may be reused."""
        self.require_usable(engine)
        with engine.connect() as connection:
            self._require_content(connection)

    def _require_content(self, connection: Connection) -> None:
        found = inspect(connection).get_multi_columns()
        there = {(name, each["name"]) for (_, name), own in found.items() for each in own}
        needed = {(each.name, c.name) for each in self._tables.sorted_tables for c in each.c}
        if missing := sorted(map(".".join, needed - there)):
            raise self._fault(
                f"{self._name} has the version of this program and not its tables"
                f" ({', '.join(missing[:3])}): no release made it; restore another backup"
            )

    def state(self, engine: Engine) -> tuple[str | None, str | None]:
        """Return the version, and the oldest program that may use it if others may, too."""
        path = _file_of(engine)
        # Connecting would create a missing file.
        if path is not None and not path.exists():
            return None, None
        with engine.connect() as connection:
            return self._state(connection)

    def known_state(self, engine: Engine) -> tuple[str | None, str | None]:
        """Return the state of a database that this program can use or upgrade."""
        found, oldest = self.state(engine)
        if found not in {None, *self._steps}:
            self._require_usable(found, oldest)
        return found, oldest

    @patience(JOBS)
    def pending(self, engine: Engine) -> list[Step]:
        """Return what the database lacks, contract steps included."""
        found, oldest = self.known_state(engine)
        if found is None:
            return [self._step(each, "create", lambda _: 0) for each in self._steps]
        kinds = ("stop", "stop") if oldest is None else ("expand", "contract")
        with engine.connect() as connection:

            def count(name: str) -> int:
                rows = select(func.count()).select_from(table(name))
                return connection.execute(rows).scalar_one()

            missing = self._after(found)
            return [self._step(each, kinds[self._steps[each]], count) for each in missing]

    def _step(self, number: str, kind: str, count: Callable[[str], int]) -> Step:
        from alembic.script import ScriptDirectory  # noqa: PLC0415 - only a migration needs it

        module = ScriptDirectory.from_config(self._config()).get_revision(number).module
        rows = {name: count(name) for name in getattr(module, "REWRITES", ())}
        duration_s = sum(rows.values()) / getattr(module, "ROWS_PER_S", 1)
        return Step(number, kind, str(module.__doc__).partition("\n")[0], rows, duration_s)

    def _lock_others_out(self, connection: Connection) -> None:
        if connection.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(:name)")
            connection.execute(lock, {"name": self._lock})

    def _steps_to_apply(
        self, found: str | None, oldest: str | None, last: str | None, *, contracts: bool
    ) -> list[str]:
        missing = self._after(found)
        if last is None and not contracts and oldest is not None:
            last = max((each for each in missing if not self._steps[each]), default="")
        return [each for each in missing if last is None or each <= last]

    def _prepare_beside_others(
        self, connection: Connection, contracted: str, running: Mapping[str, str]
    ) -> None:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'"))
        if older := [each for each, newest in running.items() if newest < contracted]:
            raise self._fault(
                f"{self._name} stays as it is, because an older program still runs:"
                f" {'; '.join(older)}. Replace it, then run this command again (two minutes"
                " later if it was killed)"
            )

    @contextmanager
    def _telling_what_is_locked(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as fault:
            if getattr(fault.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            raise self._fault(
                f"{self._name} stays as it is, because a long transaction, such as a backup,"
                " holds a table: run this command again after its end"
            ) from fault

    def _config(self) -> Config:
        from alembic.config import Config  # noqa: PLC0415 - only a migration needs it

        config = Config()
        config.set_main_option("script_location", str(self._scripts).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        return config

    def _run_migrations(self, connection: Connection, version: str) -> None:
        from alembic import command  # noqa: PLC0415 - only a migration needs it

        config = self._config()
        config.attributes.update(connection=connection, version_table=self._table)
        command.upgrade(config, version)

    def _require_usable(self, found: str | None, oldest: str | None) -> None:
        if found in self._steps:
            is_usable = all(self._steps[each] for each in self._after(found))
        else:
            is_usable = oldest is not None and oldest <= self.newest < str(found)
        if not is_usable:
            raise self._fault(self._advice(found))

    def _advice(self, found: str | None) -> str:
        """Say what is wrong with a version, and what to do."""
        if found is None:
            return (
                f"{self._name} has no tables yet: run `thenar migrate`, or correct its address"
            )
        state = f"{self._name} is at version {found}, this program needs {self.newest}"
        if found in self._steps:
            return f"{state}: run `thenar migrate` (first with --check: it says what it does)"
        if found > self.newest:
            return (
                f"{state}, and a newer one took away what it uses: run that, or restore a"
                " backup from before its `thenar migrate --contract`"
            )
        return (
            f"{state}, from {_OLDEST_RELEASE} on: if it is older, first run `thenar migrate` of"
            f" Thenar {_OLDEST_RELEASE}; if no release made it, restore another backup"
        )

    @cached_property
    def _steps(self) -> dict[str, bool]:
        """The numbers in the names of the migrations, in order, and whether they contract."""
        names = sorted(file.name for file in self._scripts.glob("versions/*_*.py"))
        return {name[:4]: name[5:].startswith("contract_") for name in names}

    def _after(self, found: str | None) -> list[str]:
        return [each for each in self._steps if found is None or each > found]

    def _state(self, connection: Connection) -> tuple[str | None, str | None]:
        if not inspect(connection).has_table(self._table):
            return None, None
        versions = select(text("*")).select_from(table(self._table))
        row = dict(connection.execute(versions).mappings().first() or {})
        return row.get("version_num"), row.get("oldest_program")


def _file_of(engine: Engine) -> Path | None:
    """Return the file of a SQLite database, or None."""
    name = engine.url.database
    is_file = engine.dialect.name == "sqlite" and name not in {None, "", ":memory:"}
    return Path(str(name)) if is_file else None
