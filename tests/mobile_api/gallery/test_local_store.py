"""The gallery on a real disk: one owner, nothing erased in any file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import DirectoryInUse
from engine.parameters import CODE_BYTES
from mobile_api.gallery.local_store import LocalGalleries, LocalStore
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.database import Database
from tests.support.galleries.people import ENCRYPTION, enrol, erase
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR
from tests.support.service.mobile_api import MobileWorld

PIECE_BYTES = 32
"""Nothing random of this length is anywhere twice."""


@pytest.fixture
def local_store(tmp_path: Path) -> Iterator[LocalStore]:
    """Give a shelf of this process."""
    local_store = LocalStore(tmp_path / "gallery")
    yield local_store
    local_store.close()


def galleries(
    local_store: LocalStore, encryption: TemplateEncryption = ENCRYPTION
) -> LocalGalleries:
    """Return the galleries of the fake extractor."""
    return LocalGalleries(
        local_store, encryption, FAKE_EXTRACTOR, dimension=FAKE_DIMENSION, code_bytes=CODE_BYTES
    )


def pieces_of(*contents: bytes) -> set[bytes]:
    """Cut bytes into pieces, those that are not random left out."""
    pieces = {c[i : i + PIECE_BYTES] for c in contents for i in range(0, len(c), 99)}
    return {p for p in pieces if len(p) == PIECE_BYTES and len(set(p)) > PIECE_BYTES // 2}


def everything_in(folder: Path) -> bytes:
    """Return the contents of all files, one after the other."""
    return b"\0".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def gallery_file(folder: Path) -> sqlite3.Connection:
    """Open the one gallery there behind its owner's back."""
    (path,) = (folder / "gallery").glob("*.sqlite3")
    return sqlite3.connect(path)


def encrypted_in(folder: Path) -> list[bytes]:
    """Return everything encrypted in a gallery's file."""
    with closing(gallery_file(folder)) as file:
        return [encrypted for (encrypted,) in file.execute("SELECT encrypted FROM blocks")]


def test_a_service_whose_gallery_is_owned_does_not_start(tmp_path: Path) -> None:
    """An operator who starts a second process learns what to set."""
    with MobileWorld(tmp_path) as world:
        world._process_count = 0
        with pytest.raises(DirectoryInUse, match="each its own"):
            world.application()


def test_nothing_erased_is_left_in_any_file(
    tmp_path: Path, database: Database, local_store: LocalStore
) -> None:
    """Rows, database and its log: ciphertext included."""
    live = GalleryReplica(galleries(local_store), FAKE_EXTRACTOR, database, ENCRYPTION)
    accounts = [enrol(database, person) for person in range(6)]
    live.current()
    live.maintain(60)
    accounts += [enrol(database, person) for person in range(6, 12)]
    live.current()
    live.maintain(60)
    with database.read_in_transaction() as transaction:
        encrypted = [row.sealed for row in transaction.references.all(FAKE_EXTRACTOR)]
    there = everything_in(tmp_path)  # but for pieces that two pages share
    before = {p for p in pieces_of(*encrypted, *encrypted_in(tmp_path)) if p in there}
    for account in accounts:
        erase(database, account)
    live.current()
    live.maintain(0)
    database.compact()
    after = everything_in(tmp_path)

    assert len(before) > 500
    assert not [piece for piece in before if piece in after]
    assert live.state().stored.erasure_age_s == 0


def test_nothing_but_galleries_is_removed(tmp_path: Path, local_store: LocalStore) -> None:
    """A folder that holds other things, too, must not lose them."""
    theirs = ["backups/today", "old.20261122/palms.csv", "two/erased", "two/lock"]
    theirs += ["two/fake-1.0011aabb/manifest", "keys.0011aabb/manifest/deep"]
    theirs += ["notes.sqlite3/today"]
    ours = ["gone-3.0011aabb.sqlite3", "gone-4.0011aabb.sqlite3-codes"]
    for each in [*theirs, *ours]:
        path = tmp_path / "gallery" / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    local_store.remove_unused("*")

    assert all((tmp_path / "gallery" / each).exists() for each in theirs)
    assert not any((tmp_path / "gallery" / each).exists() for each in ours)


def test_the_gallery_of_a_former_extractor_does_not_stay(tmp_path: Path) -> None:
    """The erasures of its rows would not be followed."""
    former = tmp_path / "gallery" / "process-1" / "former-1.0011aabb.sqlite3"
    former.parent.mkdir(parents=True)
    former.write_bytes(b"x")
    with MobileWorld(tmp_path):
        assert not former.exists()
