"""A filled database of the last release becomes one of this program, with every row.

``mobile_api/docs/upgrades.md`` says how to upgrade; add a release when it is numbered.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, MetaData, Table, func, select, text, types

from mobile_api.errors import NotMigrated
from mobile_api.storage import database as biometric
from mobile_api.storage import schema as biometric_schema
from mobile_api.storage.database import open_engine
from oidc.errors import DatabaseNotMigrated
from oidc.plumbing.columns import Choice, day_of
from oidc.plumbing.schema_version import SchemaVersion
from oidc.storage import migrate as protocol
from oidc.storage.columns import metadata as protocol_metadata
from oidc.types import Level

PERSON = UUID(int=1)

VALUES: Mapping[type, object] = {
    types.Boolean: True,
    types.LargeBinary: b"\1" * 32,
    types.Uuid: PERSON,
    types.Integer: 1,
    types.String: "1",
}
"""What a row of the last release holds, by the type of the column."""

REQUEST = {"client_name": "Shop", "requires_trusted_phone": False, "palm_alone": False}
"""What a login of the last release stores of its request, in part."""

DECORATED: Mapping[str, object] = {
    "AccountColumn": PERSON,
    "Day": datetime(2026, 11, 22, tzinfo=UTC),
    "Instant": datetime(2026, 11, 22, tzinfo=UTC),
    "Json": ["1"],
    "UtcTime": datetime(2026, 11, 22, tzinfo=UTC),
}


LEVELLED = ("grants", "sign_ins", "browser_sessions", "logins")
"""The tables that say what a sign-in proved."""


ENDED = {"challenges"}
"""Tables that an upgrade empties: phones ask again."""


@dataclass(frozen=True)
class Upgraded:
    """One of the databases: the version that the release had, and what the program makes."""

    released: str
    version: SchemaVersion
    version_table: str
    metadata: MetaData


DATABASES = {
    "0.2.0 protocol": Upgraded(
        "0015", protocol.VERSION, protocol.VERSION_TABLE, protocol_metadata
    ),
    "0.2.0 biometric": Upgraded(
        "0011", biometric.VERSION, biometric.VERSION_TABLE, biometric_schema.metadata
    ),
}


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Upgraded:
    """Give each database of the release in turn."""
    return DATABASES[request.param]


@pytest.fixture
def engine(database: Upgraded, database_url: str) -> Iterator[Engine]:
    """Give the release's database with one row in each table."""
    engine = open_engine(database_url)
    database.version.upgrade(engine, database.released)
    with engine.begin() as connection:
        for table in _tables(connection, database):
            known = database.metadata.tables.get(table.name, table)
            row = {
                each.name: _value(known, each.name, each.type)
                for each in table.columns
                if each.name in known.columns or not each.nullable
            }
            if connection.execute(select(table)).first() is None:
                for each in known.columns:
                    if each.name in table.columns:
                        table.columns[each.name].type = each.type
                connection.execute(table.insert().values(row))
                finer = {
                    each: text(f"{each} + 1") for each in _days(known) if each in table.columns
                }
                if finer:
                    connection.execute(table.update().values(finer))
    yield engine
    engine.dispose()


def _tables(connection: Connection, database: Upgraded) -> list[Table]:
    reflected = MetaData()
    reflected.reflect(connection)
    return [each for each in reflected.sorted_tables if each.name != database.version_table]


def _value(known: Table, name: str, stored: Any) -> object:
    """Return a value as this program writes it, where it still knows the column."""
    if name == "request":
        return REQUEST
    wanted = known.columns[name].type if name in known.columns else stored
    if isinstance(wanted, Choice):
        return next(iter(wanted.kind))
    if type(wanted).__name__ in DECORATED:
        return DECORATED[type(wanted).__name__]
    return next(value for kind, value in VALUES.items() if isinstance(wanted, kind))


def _days(table: Table) -> list[str]:
    return [each.name for each in table.columns if type(each.type).__name__ == "Day"]


def _counts(engine: Engine, database: Upgraded) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            each.name: connection.execute(select(func.count()).select_from(each)).scalar_one()
            for each in _tables(connection, database)
        }


def test_every_row_of_the_last_release_is_there_and_can_be_read(
    engine: Engine, database: Upgraded
) -> None:
    """The tables are those that the program uses, and a second run changes nothing."""
    before = _counts(engine, database)
    assert set(before.values()) == {1}
    first, *_later = database.version.pending(engine)

    for _ in range(2):
        database.version.upgrade(engine)

    after = _counts(engine, database)
    kept = {name: int(name not in ENDED) for name in before}
    assert {name: after.get(name) for name in before} == kept
    assert (first.kind, set(first.rows.values())) == ("stop", {1})
    assert database.version.pending(engine) == []
    database.version.require_usable(engine)
    with engine.connect() as connection:
        options = {"version_table": database.version_table}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, database.metadata) == []
        for table in database.metadata.sorted_tables:
            connection.execute(select(table)).all()
            for each in _days(table):
                days = {row[0] for row in connection.execute(select(table.columns[each]))}
                assert all(day is None or day == day_of(day) for day in days)


@pytest.mark.parametrize("database", ["0.2.0 protocol"], indirect=True)
@pytest.mark.parametrize(
    ("demanded_phone", "amr", "level"),
    [
        (True, '["user", "swk", "mfa"]', Level.PALM_AND_PHONE),
        (False, '["user"]', Level.PALM),
        (False, '["sandbox"]', Level.SANDBOX),
    ],
)
def test_what_was_demanded_and_proved_becomes_levels(
    engine: Engine, database: Upgraded, amr: str, level: Level, *, demanded_phone: bool
) -> None:
    """A client that took any phone still does where the operator says so, a login does not."""
    tables = protocol_metadata.tables
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE clients SET require_trusted_phone = :each"), {"each": demanded_phone}
        )
        for name in LEVELLED:
            connection.execute(text(f"UPDATE {name} SET amr = :amr"), {"amr": amr})  # noqa: S608

    database.version.upgrade(engine)

    with engine.connect() as connection:
        found = [connection.execute(select(tables[each].c.level)).scalar() for each in LEVELLED]
        client = connection.execute(select(tables["clients"])).mappings().one()
        request = connection.execute(select(tables["logins"].c.request)).scalar_one()
    assert found == [level] * len(LEVELLED)
    assert (client["accept_palm_alone"], client["accept_stations"]) == (
        not demanded_phone,
        False,
    )
    assert request == {"client_name": "Shop", "accepts": ["palm-and-phone"]}


def test_an_empty_database_is_refused_with_what_to_do(
    database: Upgraded, database_url: str
) -> None:
    """Serving it would fail at the first request instead of at start."""
    engine = open_engine(database_url)

    with pytest.raises((DatabaseNotMigrated, NotMigrated), match="thenar migrate"):
        database.version.require_usable(engine)
    engine.dispose()


def test_several_processes_may_migrate_at_once(database_url: str) -> None:
    """Workers that start together: one makes the tables, the others wait and find them."""
    program = (
        "from oidc.storage.migrate import *; from oidc.storage.database import *;"
        f"migrate_database(open_engine({database_url!r}))"
    )
    started = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]  # noqa: S603

    assert [process.wait(60) for process in started] == [0, 0, 0]


@pytest.mark.parametrize(
    ("version", "advice"),
    [("0011", "of Thenar 0.2.0"), ("0016", "restore another backup"), ("0999", "newer")],
)
def test_a_version_of_no_release_is_refused_with_what_to_do(
    database_url: str, version: str, advice: str
) -> None:
    """Also one that a newer program contracted; nothing is changed."""
    engine = open_engine(database_url)
    protocol.migrate_database(engine)
    with engine.begin() as connection:
        values = f"version_num = '{version}', oldest_program = '{version}'"
        connection.execute(text(f"UPDATE {protocol.VERSION_TABLE} SET {values}"))  # noqa: S608

    for refuses in (protocol.migrate_database, protocol.require_migrated):
        with pytest.raises(DatabaseNotMigrated, match=advice):
            refuses(engine)
    with engine.connect() as connection:
        kept = connection.scalar(text(f"SELECT version_num FROM {protocol.VERSION_TABLE}"))  # noqa: S608
    engine.dispose()

    assert kept == version


def test_a_number_that_another_version_used_is_refused_by_its_tables(database_url: str) -> None:
    """A development version's: it would lose what it has, or fail at some later request."""
    engine = open_engine(database_url)
    protocol.migrate_database(engine)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE consents RENAME TO agreements"))

    for refuses in (protocol.migrate_database, protocol.require_migrated):
        with pytest.raises(DatabaseNotMigrated, match=r"consents\..*another backup"):
            refuses(engine)
    engine.dispose()


MIGRATIONS = {
    protocol: ["0015_release_0_2_0", "0017_next_release"],
    biometric: ["0011_release_0_2_0", "0012_next_release", "0013_added_references"],
}


@pytest.mark.parametrize("package", MIGRATIONS)
def test_the_number_of_a_migration_is_never_used_again(package: ModuleType) -> None:
    """A database knows it by this number alone; a new one has the next, and is added here."""
    folder = Path(str(package.__file__)).parent / "migrations" / "versions"

    assert sorted(each.stem for each in folder.glob("0*.py")) == MIGRATIONS[package]
