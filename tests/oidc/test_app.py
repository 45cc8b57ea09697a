"""The composition root: what it needs before it serves, and what it does meanwhile."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from os import getpid
from pathlib import Path
from socket import gethostname

import pytest
from sqlalchemy import text

from mobile_api.server.provider_app import UNWRITTEN, require_writes
from oidc.app import build_app, migrate, open_handoff
from oidc.errors import DatabaseNotMigrated, DatabaseUnavailable, SigningKeyFault
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from oidc.types import Process
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn


def test_an_unmigrated_database_is_not_served(tmp_path: Path) -> None:
    """Neither by the provider nor by the handoff; nor is an empty one left behind."""
    path = tmp_path / "new" / "p.sqlite3"
    settings = OidcSettings(database_url=f"sqlite:///{path}")

    for start in (build_app, open_handoff):
        with pytest.raises(DatabaseNotMigrated, match="no tables yet"):
            start(settings)
    assert not path.exists()


def test_a_first_start_needs_migrate_alone(tmp_path: Path) -> None:
    """Tables, key file and signing key; the database is its owner's only."""
    settings = OidcSettings(
        database_url=f"sqlite:///{tmp_path / 'd' / 'p.sqlite3'}",
        key_encryption_key_file=tmp_path / "d" / "key",
    )

    migrate(settings)
    migrate(settings)

    assert build_app(settings) is not None
    assert (tmp_path / "d" / "p.sqlite3").stat().st_mode & 0o077 == 0


def test_an_old_installation_gets_its_missing_key_by_migrate(
    settings: OidcSettings, sign_in: SignIn, clock: FakeClock
) -> None:
    """Access tokens are signed by ES256: without that key nothing starts."""
    with sign_in.database.write() as stores:
        (kept,) = (key.kid for key in stores.keys.all() if key.algorithm == "RS256")
        stores.keys.remove(next(k.kid for k in stores.keys.all() if k.algorithm == "ES256"))

    with pytest.raises(SigningKeyFault, match="thenar migrate"):
        build_app(settings, clock)
    migrate(settings, clock)

    assert build_app(settings, clock) is not None
    with sign_in.database.read() as stores:
        assert kept in {key.kid for key in stores.keys.all()}


def test_a_job_that_fails_is_tried_again(
    sign_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    """A database that is away for a moment must not end it for good."""
    with sign_in.database.engine.begin() as connection:
        connection.execute(text("ALTER TABLE logins RENAME TO away"))

    with sign_in.new_browser() as browser:
        _wait_until(lambda: "will retry" in caplog.text)
        assert browser.get("/.well-known/jwks.json").status_code == 200

    assert "will retry" in caplog.text


def _wait_until(happened: Callable[[], bool]) -> None:
    """Look until it happened, a minute at most."""
    deadline = time.perf_counter() + 60
    while not happened() and time.perf_counter() < deadline:
        time.sleep(0.02)


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_a_process_that_cannot_write_is_not_ready(database: Database) -> None:
    """On a full disk reads are answered, and every sign-in fails."""
    require_writes(database, lambda: NOW)
    with database.write() as stores:
        stores.processes.put(Process(gethostname(), getpid(), "1", "1", "", NOW))
    require_writes(database, lambda: NOW + UNWRITTEN)
    with pytest.raises(DatabaseUnavailable):
        require_writes(database, lambda: NOW + 2 * UNWRITTEN)
