"""The accounts and phones of an earlier version get their aliases once, all or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, MetaData, Table, select, types

from oidc import app
from oidc.accounts import pseudonym
from oidc.aliases import Aliases
from oidc.errors import AliasFault, DatabaseNotMigrated, SigningKeyFault
from oidc.settings import OidcSettings
from oidc.storage.database import Database, open_engine
from oidc.storage.migrate import migrate_database
from oidc.storage.stores import aliases as alias_store
from oidc.types import AccountId, Claimant

RELEASED = "0011"
"""The protocol database of release 0.1.0."""

KEY, OTHER_KEY = b"b" * 32, b"o" * 32

PEOPLE = {f"subject-{number}": AccountId(uuid4()) for number in range(5)}
PHONE = Claimant("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")

VALUES: Mapping[type, object] = {
    types.Boolean: True,
    types.LargeBinary: b"\1" * 32,
    types.BigInteger: 9_000_000_000_000_000,
    types.Integer: 1,
    types.String: "[]",
}
"""What a column holds that names nobody, by its type."""


@pytest.fixture
def settings(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> OidcSettings:
    """Give the settings of an empty database; its rows are more than one batch."""
    monkeypatch.setattr(alias_store, "_BATCH", 2)
    return OidcSettings(
        database_url=database_url, key_encryption_key_file=tmp_path / "protocol.key"
    )


@pytest.fixture
def engine(settings: OidcSettings) -> Iterator[Engine]:
    """Give a released database with five people, a session, an open login and its phone."""
    engine = open_engine(settings.database_url)
    migrate_database(engine, RELEASED)
    anna = str(PEOPLE["subject-0"])
    with engine.begin() as connection:
        _add(connection, "clients", client_id="shop")
        for subject, account in PEOPLE.items():
            _add(connection, "pseudonyms", subject=subject, account=str(account), sector="shop")
        _add(connection, "browser_sessions", account=anna)
        login = {"account": anna, "expected_account": anna, "claimant": PHONE}
        _add(connection, "logins", client_id="shop", login_id="open", state="verified", **login)
        _add(connection, "known_browsers")
    yield engine
    engine.dispose()


def _add(connection: Connection, name: str, **values: object) -> None:
    table = Table(name, MetaData(), autoload_with=connection)
    usual = {
        each.name: next(value for kind, value in VALUES.items() if isinstance(each.type, kind))
        for each in table.columns
        if not each.nullable
    }
    connection.execute(table.insert().values(usual | values))


def _rows(engine: Engine, name: str, *columns: str) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        table = Table(name, MetaData(), autoload_with=connection)
        query = select(*(table.c[each] for each in columns)).order_by(*table.primary_key)
        return [tuple(row) for row in connection.execute(query)]


def _aliases(settings: OidcSettings, key: bytes = KEY) -> Aliases:
    return Aliases(key, app.alias_key(settings))


def test_everybody_of_the_last_release_has_an_alias_that_leads_back(
    settings: OidcSettings, engine: Engine
) -> None:
    """Each at the pseudonym that was theirs; a second run changes nothing."""
    for _ in range(2):
        app.migrate(settings, biometric_alias_key=KEY)
    aliases = _aliases(settings)
    found = _rows(engine, "pseudonyms", "subject", "account")
    anna = str(aliases.alias_of(PEOPLE["subject-0"]))

    app.require_aliases(settings, aliases)
    assert found == [(who, str(aliases.alias_of(account))) for who, account in PEOPLE.items()]
    assert _rows(engine, "browser_sessions", "account") == [(anna,)]
    assert _rows(engine, "logins", "account", "expected_account", "claimant") == [
        (anna, anna, aliases.alias_of_phone(PHONE))
    ]
    assert _rows(engine, "known_browsers", "digest") == []
    with Database(engine).read() as stores:
        named = {
            each.subject: aliases.account_of(account)
            for account in map(AccountId, (UUID(str(each)) for _, each in found))
            for each in pseudonym.pseudonyms_of(stores, account)
        }
    assert named == PEOPLE


def test_sign_ins_name_aliases_of_phones(settings: OidcSettings, engine: Engine) -> None:
    """They are kept for months, and would join both databases as well as an account does."""
    migrate_database(engine, "0013")
    with engine.begin() as connection:
        for number in range(3):
            values = {"grant_id": f"g{number}", "client_id": "shop", "claimant": PHONE}
            _add(connection, "sign_ins", subject="subject-0", **values)
    app.migrate(settings, biometric_alias_key=KEY)

    alias = _aliases(settings).alias_of_phone(PHONE)
    assert _rows(engine, "sign_ins", "claimant") == [(alias,)] * 3


def test_a_migration_that_is_killed_leaves_the_version_before(
    settings: OidcSettings, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the people with aliases would be half of the people lost."""
    before = _rows(engine, "pseudonyms", "subject", "account")

    def kill(_aliases: Aliases, _phone: Claimant) -> Claimant:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(Aliases, "alias_of_phone", kill)
        app.migrate(settings, biometric_alias_key=KEY)

    assert _rows(engine, "pseudonyms", "subject", "account") == before
    with pytest.raises(DatabaseNotMigrated):
        app.open_handoff(settings)
    app.migrate(settings, biometric_alias_key=KEY)
    app.require_aliases(settings, _aliases(settings))


def test_another_biometric_database_is_refused_and_changes_nothing(
    settings: OidcSettings, engine: Engine
) -> None:
    """Restored from another backup, say: everybody would be somebody new to each app."""
    app.migrate(settings, biometric_alias_key=KEY)
    before = _rows(engine, "pseudonyms", "subject", "account")

    with pytest.raises(AliasFault, match="belongs together"):
        app.migrate(settings, biometric_alias_key=OTHER_KEY)
    with pytest.raises(AliasFault, match="belongs together"):
        app.require_aliases(settings, _aliases(settings, OTHER_KEY))
    assert _rows(engine, "pseudonyms", "subject", "account") == before


def test_a_database_without_aliases_is_not_joined(
    settings: OidcSettings, engine: Engine
) -> None:
    """A palm would find nobody's pseudonyms, and make new ones."""
    app.migrate(settings)

    with pytest.raises(AliasFault, match="thenar migrate"):
        app.require_aliases(settings, _aliases(settings))


def test_a_wrong_key_encryption_key_makes_no_aliases(
    settings: OidcSettings, engine: Engine
) -> None:
    """Aliases under a key that nobody keeps would be lost with it."""
    migrate_database(engine, "0013")
    app.migrate(settings)
    settings.key_encryption_key_file.unlink()
    other = OidcSettings(
        database_url=settings.database_url,
        key_encryption_key="b29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb28",  # type: ignore[arg-type]
    )

    with pytest.raises(SigningKeyFault, match="another key"):
        app.migrate(other, biometric_alias_key=KEY)


def test_a_new_biometric_database_may_take_the_place_of_a_lost_one(
    settings: OidcSettings, engine: Engine
) -> None:
    """Nobody is found again, but people can enrol."""
    app.migrate(settings, biometric_alias_key=KEY)
    app.forget_aliases(settings)
    app.migrate(settings, biometric_alias_key=OTHER_KEY)

    app.require_aliases(settings, _aliases(settings, OTHER_KEY))


def test_no_file_holds_a_name_of_before(settings: OidcSettings, engine: Engine) -> None:
    """SQLite's pages and log are written anew; PostgreSQL keeps its pages elsewhere."""
    app.migrate(settings, biometric_alias_key=KEY)
    folder = settings.key_encryption_key_file.parent
    left = b"".join(each.read_bytes() for each in folder.iterdir())

    named = [str(account).encode() for account in PEOPLE.values()]
    assert [each for each in (*named, PHONE.encode()) if each in left] == []
