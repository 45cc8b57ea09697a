"""The gallery in memory is what the database holds, whichever process changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from engine.types import Hand, Reference
from mobile_api.errors import DecryptionFailed
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.sync import GallerySync
from mobile_api.gallery.template_encryption import TemplateEncryption, group_of
from mobile_api.storage import migrate
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_ring import KeyId, KeyRingFile, create_key_file, key_ring_of
from mobile_api.types import ConsentGiven, EncryptedReference
from oidc.types import AccountId
from tests.support.clock import FakeClock
from tests.support.galleries.memory_galleries import MemoryGalleries
from tests.support.palms.fake_engine import FAKE_EXTRACTOR, template

VAULT = TemplateEncryption(TemplateCipher(lambda: key_ring_of(b"k" * 32)))
CLOCK = FakeClock()


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Make an empty database, open for as long as the context lasts."""
    engine = open_engine(f"sqlite:///{path}")
    migrate.upgrade(engine)
    database = Database(engine)
    yield database
    database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give an empty database."""
    with opened(tmp_path / "b.sqlite3") as database:
        yield database


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    """Give a database of another history."""
    with opened(tmp_path / "other.sqlite3") as database:
        yield database


def live(
    database: Database,
    galleries: MemoryGalleries | None = None,
    encryption: TemplateEncryption = VAULT,
) -> GalleryReplica:
    """Return a process's gallery."""
    return GalleryReplica(
        galleries or MemoryGalleries(encryption), FAKE_EXTRACTOR, database, encryption
    )


class CountingVault(TemplateEncryption):
    """Counts the references it opens: what is read from the database."""

    def __init__(self) -> None:
        super().__init__(TemplateCipher(lambda: key_ring_of(b"k" * 32)))
        self.opened = 0

    def rotated_references(
        self, stored: Sequence[EncryptedReference], key_id: KeyId
    ) -> list[Reference]:
        """Decrypt references."""
        self.opened += len(stored)
        return super().rotated_references(stored, key_id)


def enrol(
    database: Database,
    person: int,
    hand: Hand = Hand.RIGHT,
    encryption: TemplateEncryption = VAULT,
) -> AccountId:
    """Enrol somebody, as another process would."""
    account = AccountId(uuid4())
    with database.write() as transaction:
        transaction.references.create_account(
            account, ConsentGiven("v", "0" * 64, "en", CLOCK())
        )
        transaction.references.add(
            [encryption.encrypt_reference(template(person, hand, s), account) for s in (0, 1)],
            CLOCK(),
        )
        transaction.history.record(account, CLOCK())
    return account


def erase(database: Database, account: AccountId) -> None:
    """Erase somebody, as another process would."""
    with database.write() as transaction:
        transaction.references.erase(account, CLOCK())
        transaction.history.record(account, CLOCK())


def test_a_gallery_is_built_from_what_is_stored(database: Database) -> None:
    """Nothing but the database is needed to start."""
    accounts = [enrol(database, person) for person in range(3)]
    gallery = live(database).current()

    assert len(gallery) == 6
    assert gallery.search([template(1, shot=9)])[0].group_id == group_of(accounts[1])


def test_changes_of_others_are_followed_without_a_rebuild(database: Database) -> None:
    """A new person costs that person's references, not the whole gallery."""
    enrol(database, 3)
    encryption = CountingVault()
    gallery = live(database, encryption=encryption)
    before = len(gallery.current())
    account = enrol(database, 1)
    during = len(gallery.current())
    erase(database, account)
    after = len(gallery.current())

    assert (before, during, after) == (2, 4, 2)
    assert encryption.opened == 4


def test_a_palm_that_is_added_joins_and_the_others_stay(database: Database) -> None:
    """Only what is new is decrypted and enrolled."""
    gallery = live(database)
    account = enrol(database, 1)
    gallery.current()
    with database.write() as transaction:
        left = VAULT.encrypt_reference(template(1, Hand.LEFT), account)
        transaction.references.add([left], CLOCK())
        transaction.history.record(account, CLOCK())

    assert gallery.current().row_count(Hand.LEFT) == 1
    assert gallery.current().row_count(Hand.RIGHT) == 2


def test_a_gallery_that_slept_too_long_is_compared_name_by_name(database: Database) -> None:
    """Changes it missed were purged: it sees the gap, and reads only what it lacks."""
    encryption = CountingVault()
    gallery = live(database, encryption=encryption)
    leaving = enrol(database, 3)
    staying = enrol(database, 4)
    gallery.current()
    gone = enrol(database, 1)
    erase(database, gone)
    erase(database, leaving)
    with database.write() as transaction:
        transaction.history.purge(CLOCK() + timedelta(seconds=1))
    kept = enrol(database, 2)

    assert gallery.current().search([template(2, shot=9)])[0].group_id == group_of(kept)
    assert gallery.current().search([template(4, shot=9)])[0].group_id == group_of(staying)
    assert len(gallery.current()) == 4
    assert encryption.opened == 6


def test_after_days_without_a_change_the_next_one_is_followed_by_itself(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the first enrolment of a week keeps every login waiting for a million names."""
    gallery = live(database)
    enrol(database, 1)
    gallery.current()
    with database.write() as transaction:
        transaction.history.purge(CLOCK() + timedelta(seconds=1))
    monkeypatch.delattr(GallerySync, "_reconcile")
    account = enrol(database, 2)

    assert gallery.current().search([template(2, shot=9)])[0].group_id == group_of(account)


def test_a_restart_reads_its_own_files_and_what_changed_meanwhile(database: Database) -> None:
    """Not the whole database: that is what the files are for."""
    galleries, encryption = MemoryGalleries(VAULT), CountingVault()
    first = live(database, galleries)
    leaving, staying = enrol(database, 1), enrol(database, 2)
    first.current()
    first.maintain(60)
    first.close()
    erase(database, leaving)
    new = enrol(database, 3)
    again = live(database, MemoryGalleries(VAULT, galleries.disks), encryption)

    assert len(again.current()) == 4
    assert encryption.opened == 2
    for person, account in ((2, staying), (3, new)):
        found = again.current().search([template(person, shot=9)])
        assert found[0].group_id == group_of(account)


def written(database: Database) -> MemoryGalleries:
    """Enrol three people; return the galleries of a process that wrote them down."""
    galleries = MemoryGalleries(VAULT)
    for person in range(3):
        enrol(database, person)
    first = live(database, galleries)
    first.current()
    first.maintain(60)
    return galleries


@pytest.mark.parametrize(("people", "is_purged"), [(3, False), (3, True), (5, False)])
def test_another_history_is_not_taken_for_ours(
    database: Database, other: Database, people: int, *, is_purged: bool
) -> None:
    """A restored backup had as many changes since, or more: who is erased there stays so."""
    galleries = written(database)
    accounts = [enrol(other, person) for person in range(5, 5 + people)]
    if is_purged:
        with other.write() as transaction:
            transaction.history.purge(CLOCK() + timedelta(seconds=1))
    again = live(other, MemoryGalleries(VAULT, galleries.disks)).current()
    found = again.search([template(6, shot=9)])

    assert len(again) == 2 * people
    assert found[0].group_id == group_of(accounts[1])


def test_a_database_that_is_behind_its_gallery_is_followed_back(database: Database) -> None:
    """An older backup was restored under the gallery: who is not in it is not known."""
    galleries = MemoryGalleries(VAULT)
    kept, gone = enrol(database, 1), enrol(database, 2)
    first = live(database, galleries)
    first.current()
    first.maintain(60)
    engine = open_engine(str(database._reading.url))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE gallery_head SET sequence = 1")
        connection.exec_driver_sql("DELETE FROM gallery_changes WHERE sequence > 1")
    engine.dispose()
    with database.write() as transaction:
        transaction.references.erase(gone, CLOCK())
    again = live(database, MemoryGalleries(VAULT, galleries.disks)).current()

    assert len(again) == 2
    assert again.search([template(1, shot=9)])[0].group_id == group_of(kept)


def test_damaged_files_are_repaired_from_the_database(database: Database) -> None:
    """Whatever is flipped: nobody is lost, and nobody is somebody else."""
    galleries = MemoryGalleries(VAULT)
    accounts = [enrol(database, person) for person in range(3)]
    first = live(database, galleries)
    first.current()
    first.maintain(60)
    (disk,) = galleries.disks.values()
    for damage in (lambda: disk.flip("head"), lambda: disk.flip("blocks")):
        damage()
        again = live(database, MemoryGalleries(VAULT, galleries.disks))
        for person, account in enumerate(accounts):
            found = again.current().search([template(person, shot=9)])
            assert found[0].group_id == group_of(account)
        assert again.state().stored.damage_count == 1
        again.maintain(60)
        assert again.verify() == 0


def test_a_gallery_knows_how_far_it_may_lag_behind(database: Database) -> None:
    """What a monitor reads: seconds since it was known to hold what the database holds."""
    now = [0.0]
    gallery = GalleryReplica(
        MemoryGalleries(VAULT), FAKE_EXTRACTOR, database, VAULT, clock=lambda: now[0]
    )
    gallery.current()
    now[0] = 0.8
    lagging = gallery.state().lag_s
    gallery.maintain(60)

    assert lagging == 0.8
    assert gallery.state().lag_s == 0


def test_a_wrong_key_is_noticed_when_the_gallery_is_built(database: Database) -> None:
    """Better no service than one that knows nobody."""
    enrol(database, 1)
    gallery = live(
        database, encryption=TemplateEncryption(TemplateCipher(lambda: key_ring_of(b"x" * 32)))
    )

    with pytest.raises(DecryptionFailed):
        gallery.current()


def test_a_new_key_gives_a_new_gallery_beside_the_old_one(
    database: Database, tmp_path: Path
) -> None:
    """A serving process goes on while it is built; then nothing of the old key is searched."""
    create_key_file(tmp_path / "key")
    ring = KeyRingFile(tmp_path / "key")
    encryption = TemplateEncryption(TemplateCipher(ring.current))
    galleries = MemoryGalleries(encryption)
    gallery = live(database, galleries, encryption)
    account = enrol(database, 1, encryption=encryption)
    gallery.current()
    made, old_key = galleries.opened, encryption.key_id
    ring.add_primary()
    later = enrol(database, 2, encryption=encryption)

    during = gallery.current()
    gallery.wait()
    after = gallery.current()

    assert galleries.opened == made + 1
    assert galleries.retired == [old_key]
    assert after is not during
    for person, expected in ((1, account), (2, later)):
        assert during.search([template(person, shot=9)])[0].group_id == group_of(expected)
        assert after.search([template(person, shot=9)])[0].group_id == group_of(expected)
