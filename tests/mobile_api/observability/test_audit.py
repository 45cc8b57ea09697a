"""What happened is noted in a chain, and a deletion code deletes one account."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from mobile_api.cli import audit
from mobile_api.cli.account import account_commands
from mobile_api.codes import digest_of, new_code
from mobile_api.errors import AuditBroken, NoSuchCode, PhoneRefused
from mobile_api.observability.audit import Event, require_whole
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.server.protocol_audit import open_protocol_audit
from mobile_api.storage import migrate
from mobile_api.storage.database import Database, open_engine
from tests.support.palms.fake_engine import picture
from tests.support.service.mobile_api import MobileWorld

NOW = datetime(2026, 11, 20, 12, 0, 0, 123_456, tzinfo=UTC)
MAYA, OMAR = 1, 2


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Give an empty database."""
    engine = open_engine(database_url)
    migrate.upgrade(engine)
    yield Database(engine)
    engine.dispose()


def _grow(database: Database, count: int, at: datetime = NOW) -> None:
    for _ in range(count):
        with database.writing() as transaction:
            transaction.audit.append(Event.ACCOUNT_OPENED, at, {"left": 2})


def _last(database: Database) -> int:
    with database.reading() as transaction:
        last = require_whole(transaction.audit.entries())
    return 0 if last is None else last.position


def test_writers_at_once_make_one_chain(database: Database) -> None:
    """Two entries after one would leave a chain that proves nothing."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _grow(database, 3), range(8)))

    assert _last(database) == 24


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_entries SET event='phone_bound' WHERE position=2",
        "UPDATE audit_entries SET details='{}' WHERE position=3",
        "UPDATE audit_entries SET at=at+1 WHERE position=1",
        "DELETE FROM audit_entries WHERE position=2",
        "UPDATE audit_entries SET position=9 WHERE position=3",
    ],
)
def test_whatever_is_changed_is_noticed(database: Database, change: str) -> None:
    """That is what the chain is for."""
    _grow(database, 3)
    with database._writing.begin() as connection:
        connection.execute(text(change))

    with pytest.raises(AuditBroken):
        _last(database)


def test_old_entries_are_forgotten_and_the_chain_holds(database: Database) -> None:
    """The newest old entry stays, so that the first new one has something to hang on."""
    _grow(database, 3, NOW - timedelta(days=10))
    _grow(database, 2)
    with database.writing() as transaction:
        transaction.audit.purge(NOW - timedelta(days=1))
        left = [entry.position for entry in transaction.audit.entries()]

    assert left == [3, 4, 5]
    assert _last(database) == 5


def test_what_happens_to_people_is_noted_without_naming_them(world: MobileWorld) -> None:
    """Which account it was would make the log a list of people."""
    phone = world.enrolled([picture(MAYA, shot=shot) for shot in range(2)])
    stranger = world.phone()
    login = stranger.claim(world.door.open()).login_id
    stranger.answer_picture(login, picture(MAYA, shot=5))
    phone.delete_account(picture(MAYA, shot=6))
    with world.database.reading() as transaction:
        noted = [(entry.event, entry.details) for entry in transaction.audit.entries()]

    assert noted == [
        ("phone_registered", "{}"),
        ("account_opened", '{"left":0,"right":2}'),
        ("phone_registered", "{}"),
        ("phone_bound", '{"by":"palm"}'),
        ("account_deleted", '{"by":"palm"}'),
    ]


def _thenar(world: MobileWorld, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
    monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
    group, *rest = arguments
    app = (
        audit.audit_commands(open_protocol_audit)
        if group == "audit"
        else account_commands(world.clock)
    )
    return CliRunner().invoke(app, rest)


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[tuple[MobileWorld, str]]:
    """Give a service that was stopped after somebody had enrolled, and a deletion code."""
    with MobileWorld(tmp_path) as world:
        phone = world.enrolled([picture(MAYA, shot=shot) for shot in range(2)])
        code = _code(phone, MAYA)
        world.stop()
        yield world, code


def _code(phone: ReferencePhone, person: int) -> str:
    return phone.deletion_code(picture(person, shot=7)).deletion_code


def test_a_code_deletes_its_account_and_nobody_elses(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator needs no name, and the person no palm."""
    maya = world.enrolled([picture(MAYA, shot=shot) for shot in range(2)])
    world.enrolled([picture(OMAR, shot=shot) for shot in range(2)])
    outdated, code = _code(maya, MAYA), _code(maya, MAYA)
    refused = _thenar(world, monkeypatch, "account", "delete", outdated)
    done = _thenar(world, monkeypatch, "account", "delete", code.lower().replace("-", " "))
    again = _thenar(world, monkeypatch, "account", "delete", code)

    world.services.deletion.finish_pending_erasures()

    assert (refused.exit_code, done.exit_code, again.exit_code) == (1, 0, 1)
    assert world.rows("accounts") == 1
    assert world.rows("deletion_codes") == 0
    assert world.rows("departures") == 0
    assert len(set(world.door.forgotten)) == 1


def test_a_command_lists_what_it_deleted(
    stopped: tuple[MobileWorld, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No service need run: the next one holds every backup to the list."""
    world, code = stopped
    done = _thenar(world, monkeypatch, "account", "delete", code)

    assert (done.exit_code, world.rows("accounts")) == (0, 0)
    assert world.erasures().head().count == 1
    assert world.row("SELECT count FROM erasure_list") == (1,)


@pytest.mark.parametrize("hindrance", ["missing", "full"])
def test_a_deletion_that_is_not_listed_is_not_told(
    stopped: tuple[MobileWorld, str], monkeypatch: pytest.MonkeyPatch, hindrance: str
) -> None:
    """Erased it is, and the operator learns what is missing."""
    world, code = stopped
    if hindrance == "missing":
        world.settings.erasure_file.unlink()
    else:
        monkeypatch.setattr("mobile_api.erasures.file._write", _no_room)
    done = _thenar(world, monkeypatch, "account", "delete", code)

    assert (done.exit_code, done.stdout) == (1, "")
    assert (world.rows("accounts"), world.rows("departures")) == (0, 1)


def _no_room(*_arguments: object) -> None:
    raise OSError(errno.ENOSPC, "no room")


def test_a_code_is_given_for_ones_own_palm_only(world: MobileWorld) -> None:
    """Otherwise whoever finds a phone deletes its owner."""
    maya = world.enrolled([picture(MAYA, shot=shot) for shot in range(2)])
    with pytest.raises(PhoneRefused):
        _code(maya, OMAR)

    assert world.rows("deletion_codes") == 0


def test_a_code_is_long_and_forgives_how_it_is_typed() -> None:
    """120 random bits; 0, 1 and 8 are no letters of it."""
    code = new_code()

    assert len(code.replace("-", "")) == 24
    assert digest_of(code) == digest_of(code.lower().replace("-", " "))
    assert digest_of("O" * 24) == digest_of("0" * 24)
    for wrong in ("", "short", "ß" * 24, "A" * 25):
        with pytest.raises(NoSuchCode):
            digest_of(wrong)


def test_the_log_is_shown_and_verified(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a digest that was noted elsewhere even a log that was cut off is told."""
    only = ("--database", "biometric")
    empty = _thenar(world, monkeypatch, "audit", "verify", *only)
    world.phone()
    world.phone()
    whole = _thenar(world, monkeypatch, "audit", "verify", *only)
    digest = whole.stdout.split()[2]
    shown = _thenar(world, monkeypatch, "audit", "show", "--after", "1", *only)
    with world.database.writing() as transaction:
        transaction.connection.execute(text("DELETE FROM audit_entries WHERE position=2"))
    cut = _thenar(world, monkeypatch, "audit", "verify", "--expect", digest, *only)

    assert empty.stdout == "biometric 0 -\n"
    assert whole.stdout.startswith("biometric 2 ")
    assert "phone_registered" in shown.stdout
    assert shown.stdout.startswith("biometric 2 ")
    assert cut.exit_code == 1
