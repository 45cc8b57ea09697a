# ruff: noqa: S608 -- rows of the tests' own
"""Databases of before: what earlier versions kept of deleted people goes with the migration."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, text

from mobile_api.storage import migrate as mobile
from mobile_api.storage.database import Database
from mobile_api.storage.database import open_engine as open_biometric
from oidc.plumbing import schema_version
from oidc.storage.database import open_engine as open_protocol
from oidc.storage.migrate import migrate_database

NOW_US = 1_795_305_600_123_456
DAY_US = 86_400_000_000
GONE = "vu-11111111-1111-4111-8111-111111111111"
KEPT = "vu-22222222-2222-4222-8222-222222222222"
OLD_ROWS = (
    "INSERT INTO clients (client_id, name, redirect_uris, scope, sector, external_user_id,"
    " secret_digest, created_at, authentication, require_pkce, id_token_algorithm,"
    " resource_server, require_par, require_dpop, profile, confirm_code,"
    " post_logout_redirect_uris, backchannel_logout_session_required, require_trusted_phone)"
    f" VALUES ('shop', 'Shop', '[]', '[]', 'shop', true, :digest, {NOW_US}, 'none', true,"
    " 'RS256', false, false, false, 'standard', 'never', '[]', false, false)",
    f"INSERT INTO pseudonyms VALUES ('{GONE}', 'shop', NULL, {NOW_US}, {NOW_US})",
    f"INSERT INTO pseudonyms VALUES ('{KEPT}', 'shop', 'account', {NOW_US}, NULL)",
    *(
        "INSERT INTO grants (grant_id, client_id, subject, scope, auth_time, amr, expires_at,"
        f" revoked_at) VALUES ('{name}', 'shop', '{subject}', '[]', {NOW_US}, '[]',"
        f" {NOW_US + 99 * DAY_US}, {revoked})"
        for name, subject, revoked in (
            ("g1", GONE, NOW_US),
            ("g2", KEPT, NOW_US),
            ("g3", KEPT, "NULL"),
        )
    ),
    f"INSERT INTO developers VALUES ('d', 'd@x', '', {NOW_US}, NULL, {NOW_US}, '{GONE}',"
    f" {NOW_US})",
    f"INSERT INTO logout_notices VALUES ('n2', 'shop', '{KEPT}', NULL, 0, {NOW_US})",
    f"INSERT INTO logout_notices VALUES ('n1', 'shop', '{KEPT}', NULL, 0, {NOW_US})",
)


def filled(database_url: str) -> Engine:
    """Return a protocol database of version 0012 with somebody who was deleted."""
    engine = open_protocol(database_url)
    migrate_database(engine, "0012")
    with engine.begin() as connection:
        for statement in OLD_ROWS:
            values = {"digest": b"d"} if ":digest" in statement else {}
            connection.execute(text(statement), values)
    return engine


def column(engine: Engine, query: str) -> list[object]:
    """Return the first column of a query."""
    with engine.connect() as connection:
        return list(connection.execute(text(query)).scalars())


def test_withdrawn_pseudonyms_go_and_the_others_stay(database_url: str) -> None:
    """With what they were given; a day is left of when something was revoked."""
    engine = filled(database_url)
    migrate_database(engine)
    migrate_database(engine)

    assert column(engine, "SELECT subject FROM pseudonyms") == [KEPT]
    assert column(engine, "SELECT grant_id FROM grants ORDER BY 1") == ["g2", "g3"]
    assert column(engine, "SELECT revoked_at FROM grants WHERE grant_id = 'g2'") == [
        NOW_US // DAY_US * DAY_US
    ]
    assert column(engine, "SELECT subject FROM developers") == [None]
    assert column(engine, "SELECT notice_id FROM logout_notices ORDER BY 1") == ["n1", "n2"]
    engine.dispose()


def test_a_migration_that_is_killed_before_its_end_ends_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are gone, their bytes are not yet: SQLite's file knows what is left to do."""
    path = tmp_path / "protocol.sqlite3"
    engine = filled(f"sqlite:///{path}")
    with engine.begin() as connection:  # as a version that did not overwrite left it
        connection.exec_driver_sql("PRAGMA secure_delete=OFF")
        connection.exec_driver_sql("DELETE FROM grants WHERE grant_id = 'g1'")
        connection.exec_driver_sql("PRAGMA secure_delete=OFF")
        connection.exec_driver_sql(f"DELETE FROM pseudonyms WHERE subject = '{GONE}'")
    with monkeypatch.context() as killed:
        killed.setattr(schema_version, "_rewrite", lambda _engine: None)
        migrate_database(engine)
    before = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    migrate_database(engine)
    engine.dispose()
    after = b"".join(each.read_bytes() for each in tmp_path.iterdir())

    assert (GONE.encode() in before, GONE.encode() in after) == (True, False)
    assert KEPT.encode() in after


def test_the_feed_begins_anew_and_phones_of_nobody_lose_their_names(database_url: str) -> None:
    """An older feed holds accounts that are gone; galleries compare their names once."""
    engine, account = open_biometric(database_url), uuid4()
    mobile.upgrade(engine, "0007")
    at = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp()) * 1000
    named = account.hex if engine.dialect.name == "sqlite" else str(account)
    with engine.begin() as connection:
        for statement in (
            f"INSERT INTO gallery_changes VALUES (1, '{named}', {at})",
            "UPDATE gallery_head SET sequence = 1",
            "INSERT INTO devices (device_id, name, registered_at)"
            f" VALUES ('phone', 'Maya’s phone', {at})",
        ):
            connection.execute(text(statement))
        digest = {"digest": b"d" * 32}
        connection.execute(text("INSERT INTO erasure_list VALUES (1, 4, :digest)"), digest)
    mobile.upgrade(engine)
    mobile.upgrade(engine)

    with Database(engine).writing() as transaction:
        counted = transaction.pending_erasures.counted()
        assert (transaction.history.head(), transaction.history.since(0)) == (1, [])
        assert transaction.pending_erasures.all() == {}
        assert counted is not None
        assert (counted.count, counted.digest) == (4, b"")
    assert column(engine, "SELECT name FROM devices") == [""]
    engine.dispose()
