"""The gallery in memory is what the database holds, whichever process changed it."""

from datetime import timedelta
from pathlib import Path

import pytest

from mobile_api.errors import DecryptionFailed
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption, group_of
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_file import KeyFile, create_key_file, master_keys_of
from tests.support.galleries.memory_galleries import MemoryGalleries
from tests.support.galleries.people import ENCRYPTION, NOW, enrol, erase
from tests.support.palms.fake_engine import FAKE_EXTRACTOR, template


def live(
    database: Database,
    galleries: MemoryGalleries | None = None,
    encryption: TemplateEncryption = ENCRYPTION,
) -> GalleryReplica:
    """Return a process's gallery."""
    return GalleryReplica(
        galleries or MemoryGalleries(encryption), FAKE_EXTRACTOR, database, encryption
    )


def test_changes_of_others_are_followed_without_a_rebuild(database: Database) -> None:
    """A new person is found at once, and one who left is not."""
    enrol(database, 3)
    gallery = live(database)
    before = len(gallery.current())
    account = enrol(database, 1)
    during = len(gallery.current())
    erase(database, account)
    after = len(gallery.current())

    assert (before, during, after) == (2, 4, 2)


def test_a_gallery_that_slept_too_long_is_compared_name_by_name(database: Database) -> None:
    """Changes it missed were purged: it sees the gap."""
    gallery = live(database)
    leaving = enrol(database, 3)
    staying = enrol(database, 4)
    gallery.current()
    gone = enrol(database, 1)
    erase(database, gone)
    erase(database, leaving)
    with database.write() as transaction:
        transaction.retention.purge_history(NOW + timedelta(seconds=1))
    kept = enrol(database, 2)

    assert gallery.current().search([template(2, shot=9)])[0].group_id == group_of(kept)
    assert gallery.current().search([template(4, shot=9)])[0].group_id == group_of(staying)
    assert len(gallery.current()) == 4


def test_a_restart_reads_its_own_files_and_what_changed_meanwhile(database: Database) -> None:
    """Who left meanwhile is not found, who came is."""
    galleries = MemoryGalleries(ENCRYPTION)
    first = live(database, galleries)
    leaving, staying = enrol(database, 1), enrol(database, 2)
    first.current()
    first.maintain(60)
    first.close()
    erase(database, leaving)
    new = enrol(database, 3)
    again = live(database, MemoryGalleries(ENCRYPTION, galleries.disks))

    assert len(again.current()) == 4
    for person, account in ((2, staying), (3, new)):
        found = again.current().search([template(person, shot=9)])
        assert found[0].group_id == group_of(account)


def written(database: Database) -> MemoryGalleries:
    """Enrol three people; return the galleries of a process that wrote them down."""
    galleries = MemoryGalleries(ENCRYPTION)
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
            transaction.retention.purge_history(NOW + timedelta(seconds=1))
    again = live(other, MemoryGalleries(ENCRYPTION, galleries.disks)).current()
    found = again.search([template(6, shot=9)])

    assert len(again) == 2 * people
    assert found[0].group_id == group_of(accounts[1])


def test_a_database_that_is_behind_its_gallery_is_followed_back(database: Database) -> None:
    """An older backup was restored under the gallery: who is not in it is not known."""
    galleries = MemoryGalleries(ENCRYPTION)
    kept, gone = enrol(database, 1), enrol(database, 2)
    first = live(database, galleries)
    first.current()
    first.maintain(60)
    engine = open_engine(str(database.engine.url))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE gallery_head SET sequence = 1")
        connection.exec_driver_sql("DELETE FROM gallery_changes WHERE sequence > 1")
    engine.dispose()
    with database.write() as transaction:
        transaction.references.erase(gone, NOW)
    again = live(database, MemoryGalleries(ENCRYPTION, galleries.disks)).current()

    assert len(again) == 2
    assert again.search([template(1, shot=9)])[0].group_id == group_of(kept)


def test_damaged_files_are_repaired_from_the_database(database: Database) -> None:
    """Whatever is flipped: no account is lost or mistaken for another."""
    galleries = MemoryGalleries(ENCRYPTION)
    accounts = [enrol(database, person) for person in range(3)]
    first = live(database, galleries)
    first.current()
    first.maintain(60)
    (disk,) = galleries.disks.values()
    for damage in (lambda: disk.flip("head"), lambda: disk.flip("blocks")):
        damage()
        again = live(database, MemoryGalleries(ENCRYPTION, galleries.disks))
        for person, account in enumerate(accounts):
            found = again.current().search([template(person, shot=9)])
            assert found[0].group_id == group_of(account)
        assert again.state().stored.damage_count == 1
        again.maintain(60)
        assert again.verify() == 0


def test_a_wrong_key_is_noticed_when_the_gallery_is_built(database: Database) -> None:
    """Better no service than one that knows no account."""
    enrol(database, 1)
    gallery = live(
        database,
        encryption=TemplateEncryption(TemplateCipher(lambda: master_keys_of(b"x" * 32))),
    )

    with pytest.raises(DecryptionFailed):
        gallery.current()


def test_a_new_key_gives_a_new_gallery_beside_the_old_one(
    database: Database, tmp_path: Path
) -> None:
    """A serving process goes on while it is built; then nothing of the old key is searched."""
    create_key_file(tmp_path / "key")
    key_file = KeyFile(tmp_path / "key")
    encryption = TemplateEncryption(TemplateCipher(key_file.current))
    galleries = MemoryGalleries(encryption)
    gallery = live(database, galleries, encryption)
    account = enrol(database, 1, encryption=encryption)
    gallery.current()
    made, old_key = galleries.opened, encryption.key_id
    key_file.add_primary()
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
