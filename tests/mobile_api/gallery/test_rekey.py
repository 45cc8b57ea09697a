"""Templates get a new key while people enrol, leave and sign in; a kill loses nothing."""

import base64
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from engine.types import Hand
from mobile_api.errors import DecryptionFailed, KeyFileFault
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import (
    STEP_ROWS,
    Rekeying,
    TemplateEncryption,
    group_of,
)
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.storage.cipher import TemplateCipher, encryption_key_id
from mobile_api.storage.database import Database, open_engine, upgrade
from mobile_api.storage.key_file import KeyFile, KeyId, create_key_file, master_keys_of
from oidc.types import AccountId
from tests.support.galleries.memory_galleries import MemoryGalleries
from tests.support.galleries.people import enrol, erase
from tests.support.palms.fake_engine import FAKE_EXTRACTOR, picture, template
from tests.support.service.mobile_api import MobileWorld

PEOPLE = STEP_ROWS  # of two references each: two steps
ROOT = Path(__file__).resolve().parents[3]


def no_list() -> None:
    """Sign a list of erasures that there is not."""


class World:
    """A database and its keys."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.key_file = url, folder / "key"
        engine = open_engine(url)
        upgrade(engine)
        self.database = Database(engine)
        create_key_file(self.key_file)
        self.master_keys = KeyFile(self.key_file)
        self.encryption = TemplateEncryption(TemplateCipher(self.master_keys.current))
        self.rekeying = Rekeying(self.database, self.encryption, self.master_keys, no_list)

    def enrol(self, person: int) -> AccountId:
        """Enrol two references of a person."""
        return enrol(self.database, person, encryption=self.encryption)

    def stored(self, account: AccountId) -> list[bytes]:
        """Return a person's encrypted references."""
        with self.database.read_in_transaction() as transaction:
            return [
                r.sealed for r in transaction.references.of_account(account, FAKE_EXTRACTOR)
            ]

    def key_ids(self, account: AccountId) -> set[KeyId | None]:
        """Return the keys that a person's references are encrypted under."""
        return {encryption_key_id(encrypted) for encrypted in self.stored(account)}


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    """Give an empty database with a key."""
    world = World(database_url, tmp_path)
    yield world
    world.database.close()


def finish(rekeying: Rekeying) -> int:
    """Renew all that is left; return how much it was."""
    total = 0
    while count := rekeying.step():
        total += count
    return total


def test_everything_is_renewed_and_still_means_the_same(world: World) -> None:
    """A new ciphertext, a new rotation, the same palm."""
    account = world.enrol(1)
    before = world.stored(account)
    assert world.rekeying.begin()
    waiting = world.rekeying.pending_count()
    renewed = finish(world.rekeying)
    with world.database.read_in_transaction() as transaction:
        rows = transaction.references.of_account(account, FAKE_EXTRACTOR)
    vectors = {
        tuple(np.round(each.template.vector, 4))
        for each in world.encryption.decrypt_references(rows)
    }

    assert waiting == renewed == 2
    assert world.key_ids(account) == {world.encryption.key_id}
    assert not set(before) & set(world.stored(account))
    assert vectors == {tuple(np.round(template(1, shot=s).vector, 4)) for s in (0, 1)}


def test_old_keys_go_when_nothing_is_encrypted_under_them(world: World) -> None:
    """Removing one too early would lose people."""
    account = world.enrol(1)
    old = world.key_file.read_bytes()
    world.rekeying.begin()
    with pytest.raises(KeyFileFault, match="2 references"):
        world.rekeying.remove_old_keys()
    finish(world.rekeying)
    removed = world.rekeying.remove_old_keys()
    (row, *_) = world.stored(account)

    assert removed == 1
    assert len(world.key_file.read_bytes().splitlines()) == 1
    thief = master_keys_of(base64.b64decode(old))
    with pytest.raises(DecryptionFailed):
        TemplateCipher(lambda: thief).decrypt(row, owner=f"account:{account}", record=uuid4())


def half_enrolled(world: MobileWorld) -> tuple[ReferencePhone, str, Rekeying]:
    """Return a phone that has sent one sample, its enrolment, and who renews its key."""
    phone = world.phone()
    enrolment = phone.begin_enrolment([picture(1, shot=0)])
    key_file = KeyFile(world.settings.key_file)
    encryption = TemplateEncryption(TemplateCipher(key_file.current))
    return phone, enrolment, Rekeying(world.database, encryption, key_file, no_list)


def test_a_pending_sample_keeps_its_key_from_being_removed(tmp_path: Path) -> None:
    """A person in the middle of enrolling is not thrown out, and can finish."""
    with MobileWorld(tmp_path) as world:
        phone, enrolment, rekeying = half_enrolled(world)
        rekeying.begin()
        with pytest.raises(KeyFileFault, match="1 samples"):
            rekeying.remove_old_keys()
        phone.add_picture(enrolment, picture(1, shot=1))
        phone.finish_enrolment(enrolment)
        rekeying.step()

        assert rekeying.remove_old_keys() == 1


def test_a_second_renewal_waits_for_the_first(world: World) -> None:
    """It goes on with the key there is; a third key would only pile up."""
    world.enrol(1)
    first, second = world.rekeying.begin(), world.rekeying.begin()
    finish(world.rekeying)
    third = world.rekeying.begin()

    assert (first, second, third) == (True, False, True)
    assert len(world.master_keys.current().keys) == 3


def test_people_come_and_go_while_it_runs(world: World) -> None:
    """An account enrolled meanwhile gets the new key; a deleted one is not brought back."""
    leaving, staying = world.enrol(1), world.enrol(2)
    world.rekeying.begin()
    coming = world.enrol(3)
    erase(world.database, leaving)
    finish(world.rekeying)

    assert world.stored(leaving) == []
    for account in (staying, coming):
        assert world.key_ids(account) == {world.encryption.key_id}


RUN = """
import sys
sys.path.insert(0, ".")
from pathlib import Path
from mobile_api.gallery.template_encryption import Rekeying
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_file import KeyFile
from mobile_api.gallery.template_encryption import TemplateEncryption
key_file = KeyFile(Path(sys.argv[2]))
encryption = TemplateEncryption(TemplateCipher(key_file.current))
rekeying = Rekeying(Database(open_engine(sys.argv[1])), encryption, key_file, lambda: None)
rekeying.begin()
print("begun", flush=True)
while rekeying.step():
    print("step", flush=True)
"""
"""What ``thenar gallery rekey`` does, telling where it is."""


@pytest.mark.check("processes that renew keys, killed")
def test_a_killed_renewal_is_continued_and_loses_no_account(world: World) -> None:
    """Kill -9 between its steps and within them, while a process serves and notices."""
    accounts = {person: world.enrol(person) for person in range(PEOPLE)}
    serving_vault = TemplateEncryption(TemplateCipher(KeyFile(world.key_file).current))
    serving = GalleryReplica(
        MemoryGalleries(serving_vault), FAKE_EXTRACTOR, world.database, serving_vault
    )
    serving.current()
    for lines, delay in ((1, 0.0), (1, 0.02), (2, 0.0)):
        killed = subprocess.Popen(  # noqa: S603 -- our own program
            [sys.executable, "-c", RUN, world.url, str(world.key_file)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert killed.stdout is not None
        for _ in range(lines):
            killed.stdout.readline()
        time.sleep(delay)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        found = serving.current().search([template(7, shot=9)])
        assert found[0].group_id == group_of(accounts[7])

    assert world.rekeying.begin() is False or world.rekeying.pending_count() == 2 * PEOPLE
    finish(world.rekeying)
    world.rekeying.remove_old_keys()
    serving.wait()
    serving.current()
    serving.wait()

    fresh_vault = TemplateEncryption(TemplateCipher(KeyFile(world.key_file).current))
    fresh = GalleryReplica(
        MemoryGalleries(fresh_vault), FAKE_EXTRACTOR, world.database, fresh_vault
    )
    for gallery in (serving.current(), fresh.current()):
        assert gallery.row_count(Hand.RIGHT) == 2 * PEOPLE
        for person, account in list(accounts.items())[:20]:
            assert gallery.search([template(person, shot=9)])[0].group_id == group_of(account)
