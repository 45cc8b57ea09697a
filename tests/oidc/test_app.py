"""The composition root: what it needs before it serves, and what it does meanwhile."""

from datetime import UTC, datetime, timedelta
from os import getpid
from pathlib import Path
from socket import gethostname

import pytest

from mobile_api.server.provider_app import UNWRITTEN, require_writes
from oidc.app import build_app, migrate
from oidc.errors import ClocksDiffer, DatabaseUnavailable
from oidc.jobs import SteadyClock, announced
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from oidc.types import Process
from tests.support.at_once import wait_until
from tests.support.clock import FakeClock
from tests.support.databases.statements import without
from tests.support.service.sign_in import SignIn


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


def test_a_job_that_fails_is_tried_again(
    sign_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    """A database that is away for a moment must not end it for good."""
    with without(sign_in.database, "logins"), sign_in.new_browser() as browser:
        wait_until(lambda: "will retry" in caplog.text)
        assert browser.get("/.well-known/jwks.json").status_code == 200


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_a_process_that_cannot_write_is_not_ready(database: Database) -> None:
    """On a full disk reads are answered, and every sign-in fails."""
    require_writes(database, lambda: NOW)
    with database.write() as stores:
        stores.processes.put(Process(gethostname(), getpid(), "1", "1", "", NOW))
    require_writes(database, lambda: NOW + UNWRITTEN)
    with pytest.raises(DatabaseUnavailable):
        require_writes(database, lambda: NOW + 2 * UNWRITTEN)


@pytest.mark.parametrize("jump_s", [3600, -3600])
def test_a_machine_whose_clock_jumps_keeps_the_time(
    database: Database, monkeypatch: pytest.MonkeyPatch, jump_s: int
) -> None:
    """Its jobs would end every login. It does not start so, and follows a right clock."""
    monkeypatch.setattr("oidc.jobs.clock_lead", lambda _engine, clock: NOW - clock())
    machine = FakeClock(NOW)
    steady = SteadyClock(database, machine)
    machine.advance(jump_s)
    with pytest.raises(ClocksDiffer):
        steady.follow()
    with pytest.raises(ClocksDiffer), announced(database, "1", "1", machine):
        pass
    kept, machine.now = steady(), NOW + timedelta(seconds=20)
    steady.follow()

    assert NOW <= kept < NOW + timedelta(minutes=10)
    assert steady() >= machine.now
