"""What happened is noted in a chain, and a deletion code deletes one account."""

from pathlib import Path

import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from mobile_api.cli import audit
from mobile_api.cli.account import account_commands
from mobile_api.reference_phone.client import ReferencePhone
from tests.support.palms.fake_engine import picture, shots
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2


def test_what_happens_to_people_is_noted_without_naming_them(world: MobileWorld) -> None:
    """Which account it was would make the log a list of people."""
    phone = world.enrolled(shots(MAYA))
    outsider = world.phone()
    world.show_palm(outsider, picture(MAYA, shot=5))
    phone.delete_account(picture(MAYA, shot=6))
    with world.database.read() as transaction:
        noted = [(entry.event, entry.details) for entry in transaction.audit.entries()]

    assert noted == [
        ("account_opened", '{"left":0,"right":2}'),
        ("phone_bound", '{"by":"palm"}'),
        ("account_deleted", '{"by":"palm"}'),
    ]


def _thenar(world: MobileWorld, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
    monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
    group, *rest = arguments
    app = audit.audit if group == "audit" else account_commands(world.clock)
    return CliRunner().invoke(app, rest)


def _code(phone: ReferencePhone, person: int) -> str:
    return phone.deletion_code(picture(person, shot=7)).deletion_code


def test_a_code_deletes_its_own_account_only(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator needs no name, and the person no palm."""
    maya = world.enrolled(shots(MAYA))
    world.enrolled(shots(OMAR))
    outdated, code = _code(maya, MAYA), _code(maya, MAYA)
    refused = _thenar(world, monkeypatch, "account", "delete", outdated)
    done = _thenar(world, monkeypatch, "account", "delete", code.lower().replace("-", " "))
    again = _thenar(world, monkeypatch, "account", "delete", code)

    world.services.deletion.finish_pending_erasures()

    assert (refused.exit_code, done.exit_code, again.exit_code) == (1, 0, 1)
    assert world.rows("accounts") == 1
    assert world.rows("deletion_codes") == 0
    assert world.rows("departures") == 0
    assert len(set(world.handoff.forgotten)) == 1
    assert world.erasures().head().count == 1


def test_a_deletion_that_is_not_listed_is_not_published(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Erased it is, and the operator learns what is missing."""
    code = _code(world.enrolled(shots(MAYA)), MAYA)
    world.stop()
    world.settings.erasure_file.unlink()

    done = _thenar(world, monkeypatch, "account", "delete", code)

    assert (done.exit_code, done.stdout) == (1, "")
    assert (world.rows("accounts"), world.rows("departures")) == (0, 1)


def test_the_log_is_shown_and_verified(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a digest that was noted on another host even a shortened log is reported."""
    only = ("--database", "biometric")
    empty = _thenar(world, monkeypatch, "audit", "verify", *only)
    world.enrolled(shots(MAYA))
    world.enrolled(shots(OMAR))
    whole = _thenar(world, monkeypatch, "audit", "verify", *only)
    digest = whole.stdout.split()[2]
    shown = _thenar(world, monkeypatch, "audit", "show", "--after", "1", *only)
    with world.database.write() as transaction:
        transaction.connection.execute(text("DELETE FROM audit_entries WHERE position=2"))
    cut = _thenar(world, monkeypatch, "audit", "verify", "--expect", digest, *only)

    assert empty.stdout == "biometric 0 -\n"
    assert whole.stdout.startswith("biometric 2 ")
    assert "account_opened" in shown.stdout
    assert shown.stdout.startswith("biometric 2 ")
    assert cut.exit_code == 1
