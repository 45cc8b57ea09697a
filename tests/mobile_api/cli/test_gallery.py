"""``thenar gallery``: what an operator sees and does, on a real database."""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.milvus.stored import MilvusStored
from engine.gallery.milvus.table import Level, Row
from engine.gallery.port import UNKNOWN_POSITION, Position
from mobile_api.app import migrate
from mobile_api.cli.gallery import app
from mobile_api.gallery.milvus import copy_gallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.server.configuration import load_both
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.key_file import KeyFile, read_key_file
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, picture
from tests.support.service.mobile_api import MobileWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MobileWorld]:
    """Give a service with one person, named by the environment as for an operator."""
    with MobileWorld(tmp_path) as world:
        world.enrolled([picture(1, shot=shot) for shot in (0, 1)])
        monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
        monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
        monkeypatch.chdir(tmp_path)
        list(migrate(load_both(), "oidc"))
        monkeypatch.setattr("mobile_api.cli.gallery.OLD_KEY_DELAY_S", 0.0)
        yield world


def run(*arguments: str) -> Result:
    """Run a command in a wide terminal."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


def test_everything_is_renewed_and_the_old_key_removed(world: MobileWorld) -> None:
    """One command, and status shows the one key left."""
    before = read_key_file(world.settings.key_file).primary.key_id
    renewed = run("rekey", "--remove-old")
    master_keys = read_key_file(world.settings.key_file)
    status = run("status")

    assert (renewed.exit_code, status.exit_code) == (0, 0)
    assert "Old keys removed: 1" in renewed.output
    assert [key.key_id for key in master_keys.keys] != [before]
    assert master_keys.primary.key_id in status.stdout
    assert "fake-1" in status.output
    reported = json.loads(run("status", "--json").stdout)
    assert reported["keys"][0]["state"] == "in use"
    assert reported["extractors"][0]["extractor"] == "fake-1"
    assert "in use" in status.output


def test_keys_that_are_in_no_file_are_renewed_where_they_are(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator put the new one first, and learns when the old one may go."""
    file = world.settings.key_file
    new, old = b64encode(bytes(32)).decode(), file.read_text()
    monkeypatch.setenv("THENAR_MOBILE_KEY", f"{new}\n{old}")
    renewed, removing = run("rekey"), run("rekey", "--remove-old")
    monkeypatch.setenv("THENAR_MOBILE_KEY", new)

    assert (renewed.exit_code, removing.exit_code) == (0, 1)
    assert "remove them from" in removing.output
    (key,) = json.loads(run("status", "--json").stdout)["keys"]
    assert (key["state"], file.read_text()) == ("in use", old)


def test_a_key_that_is_not_in_the_file_is_shown(world: MobileWorld) -> None:
    """An operator who removed a key by hand sees which backup is needed."""
    KeyFile(world.settings.key_file).add_primary()
    KeyFile(world.settings.key_file).remove_old()

    assert "NOT IN THE KEY FILE" in run("status").output


def test_rates_without_evidence_are_refused_unless_requested(world: MobileWorld) -> None:
    """An operator must know what is measured and what is a guess."""
    refused = run("calibrate", "--rows", "1000000")
    reported = run("calibrate", "--rows", "1000000", "--extrapolate")
    supported = run("calibrate", "--rows", "10", "--target-fpir", "0.5")
    unasked = run("calibrate")

    assert (refused.exit_code, reported.exit_code, supported.exit_code) == (1, 0, 0)
    assert unasked.exit_code == 0
    assert "too few comparisons" in unasked.output
    assert "no evidence" in refused.stdout
    assert "extrapolated" in reported.output
    assert "extrapolated" not in supported.output


def test_a_wrong_rate_and_a_missing_database_are_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No stack trace."""
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", f"sqlite:///{tmp_path / 'none.sqlite3'}")

    done = run("status")

    assert done.exit_code == 1
    assert "thenar migrate" in done.output


@pytest.mark.parametrize("to", ["milvus://host:1", "http://host:1/name", "nonsense"])
def test_a_target_that_is_none_is_refused(
    world: MobileWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """Before anything is copied, and before networks are looked for."""
    monkeypatch.setenv("THENAR_ENGINE_WEIGHTS_DIR", str(tmp_path / "none"))
    done = run("copy", "--to", to)

    assert done.exit_code == 1
    assert "milvus://HOST:PORT/NAME" in done.output


class _Beside:
    """A gallery on a server with others beside it; acts for ``MilvusStored``."""

    def __init__(self, *keys: str) -> None:
        self.keys, self.removed = list(keys), list[str]()

    def other_keys(self, _letters: int) -> list[str]:
        """Return the keys of the others."""
        return self.keys

    def remove_keys(self, keys: Sequence[str]) -> None:
        """Note which go."""
        self.removed += keys

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(("typed", "gone"), [("y\n", ["aaaaaaaa"]), ("n\n", [])])
def test_galleries_of_unknown_keys_go_if_the_operator_says_so(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, typed: str, gone: list[str]
) -> None:
    """Those of the key file and of the database stay in any case."""
    key_file = KeyFile(world.settings.key_file)
    in_use = key_file.current().primary.key_id
    key_file.add_primary()
    beside = _Beside("aaaaaaaa", in_use, key_file.current().primary.key_id)
    recognition = world.recognition
    monkeypatch.setenv("THENAR_MOBILE_GALLERY_URL", "milvus://one.example/palms")
    monkeypatch.setattr("mobile_api.gallery.milvus.open_shared", lambda *_: beside)
    monkeypatch.setattr("mobile_api.recognition.load.load_recognition", lambda _: recognition)
    done = CliRunner().invoke(app, ["prune"], input=typed)

    assert done.exit_code == 0
    assert beside.removed == gone


class _Rows:
    """Keeps rows as a table on Milvus does; acts for ``MilvusTable``."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def create(self, dimension: int) -> None:
        """Prepare nothing: it is ready."""

    def insert(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self.rows |= {row.reference: row for row in rows}

    def delete(self, rows: Sequence[Row]) -> None:
        """Remove rows."""
        for row in rows:
            del self.rows[row.reference]

    def find(
        self, references: Sequence[str], owners: Sequence[str], *, level: Level
    ) -> list[Row]:
        """Return rows of these references and owners."""
        rows = self.rows.values()
        return [row for row in rows if row.reference in references or row.owner in owners]

    def all_rows(self) -> Iterator[list[Row]]:
        """Yield all rows."""
        yield list(self.rows.values())

    def names(self) -> Iterator[list[tuple[str, str]]]:
        """Yield each row's reference and owner."""
        yield [(row.reference, row.owner) for row in self.rows.values()]


class _Place:
    """Keeps the position; acts for ``GalleryPosition``."""

    def __init__(self) -> None:
        self.last = UNKNOWN_POSITION

    def create(self) -> None:
        """Do nothing."""

    def clear(self) -> None:
        """Forget it."""
        self.last = UNKNOWN_POSITION

    def write(self, position: Position) -> None:
        """Keep it."""
        self.last = position


@pytest.mark.parametrize("damage", ["", "rekeyed", "changed", "missing", "foreign"])
def test_a_copy_is_made_whole_and_puts_rows_right(world: MobileWorld, damage: str) -> None:
    """After ``rekey`` none opens; a copy that gave up then could never be made again."""
    encryption = TemplateEncryption(TemplateCipher(KeyFile(world.settings.key_file).current))
    table, place = _Rows(), _Place()

    def copy(key: bytes = bytes(32)) -> MilvusStored:
        cipher = GalleryCipher(key, b"name")
        target = MilvusStored(table, place, FAKE_EXTRACTOR, FAKE_DIMENSION, cipher)  # type: ignore[arg-type]
        copy_gallery(target, world.database, encryption, FAKE_EXTRACTOR, encryption.key_id)
        return target

    copy()
    name, row = next(iter(table.rows.items()))
    if damage == "changed":
        table.rows[name] = replace(row, sealed=row.sealed[:-8] + "AAAAAAA=")
    if damage == "missing":
        del table.rows[name]
    if damage == "foreign":
        table.rows["f" * 32] = replace(row, reference="f" * 32)
    target = copy(b"x" * 32 if damage == "rekeyed" else bytes(32))

    assert (target.verify(), len(table.rows)) == (0, 2)
    assert name in table.rows
    assert place.last == target.position != UNKNOWN_POSITION
