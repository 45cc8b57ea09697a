"""The gallery in memory is what the database holds, whichever process changed it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from engine.gallery.exact import ExactGallery
from engine.types import Hand
from mobile_api.errors import SealBroken
from mobile_api.gallery import LiveGallery
from mobile_api.storage import migrate
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.types import ConsentGiven
from mobile_api.vault import Vault, group_of
from oidc.types import AccountId
from tests.fakes.clock import FakeClock
from tests.fakes.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, template

VAULT = Vault(TemplateCipher(b"k" * 32))
CLOCK = FakeClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give an empty database."""
    engine = open_engine(f"sqlite:///{tmp_path / 'b.sqlite3'}")
    migrate.upgrade(engine)
    database = Database(engine)
    yield database
    database.close()


class CountingGalleries:
    """Makes galleries and counts them: one more is a rebuild."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> ExactGallery:
        """Make one."""
        self.count += 1
        return ExactGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)


def live(
    database: Database, new_gallery: CountingGalleries, vault: Vault = VAULT
) -> LiveGallery:
    """Return a process's gallery."""
    return LiveGallery(new_gallery, FAKE_EXTRACTOR, database, vault)


def enrol(database: Database, person: int, hand: Hand = Hand.RIGHT) -> AccountId:
    """Enrol somebody, as another process would."""
    account = AccountId(uuid4())
    with database.writing() as unit:
        unit.references.open_account(account, ConsentGiven("v", "0" * 64, CLOCK()))
        unit.references.add(
            [VAULT.seal_reference(template(person, hand, s), account) for s in (0, 1)], CLOCK()
        )
        unit.history.record(account, CLOCK())
    return account


def erase(database: Database, account: AccountId) -> None:
    """Erase somebody, as another process would."""
    with database.writing() as unit:
        unit.references.erase(account, CLOCK())
        unit.history.record(account, CLOCK())


def test_a_gallery_is_built_from_what_is_stored(database: Database) -> None:
    """Nothing but the database is needed to start."""
    accounts = [enrol(database, person) for person in range(3)]
    gallery = live(database, CountingGalleries()).current()

    assert len(gallery) == 6
    assert gallery.search([template(1, shot=9)])[0].group_id == group_of(accounts[1])


def test_changes_of_others_are_followed_without_a_rebuild(database: Database) -> None:
    """A new person costs that person's references, not the whole gallery."""
    galleries = CountingGalleries()
    gallery = live(database, galleries)
    before = len(gallery.current())
    made = galleries.count
    account = enrol(database, 1)
    during = len(gallery.current())
    erase(database, account)
    after = len(gallery.current())

    assert (before, during, after) == (0, 2, 0)
    assert galleries.count == made


def test_a_palm_that_is_added_joins_and_the_others_stay(database: Database) -> None:
    """Only what is new is decrypted and enrolled."""
    gallery = live(database, CountingGalleries())
    account = enrol(database, 1)
    gallery.current()
    with database.writing() as unit:
        left = VAULT.seal_reference(template(1, Hand.LEFT), account)
        unit.references.add([left], CLOCK())
        unit.history.record(account, CLOCK())

    assert gallery.current().row_count(Hand.LEFT) == 1
    assert gallery.current().row_count(Hand.RIGHT) == 2


def test_a_gallery_that_slept_too_long_is_rebuilt(database: Database) -> None:
    """Steps it missed were purged: it sees the gap and starts over."""
    galleries = CountingGalleries()
    gallery = live(database, galleries)
    gallery.current()
    made = galleries.count
    gone = enrol(database, 1)
    erase(database, gone)
    with database.writing() as unit:
        unit.history.purge(CLOCK() + timedelta(seconds=1))
    kept = enrol(database, 2)

    assert gallery.current().search([template(2, shot=9)])[0].group_id == group_of(kept)
    assert len(gallery.current()) == 2
    assert galleries.count == made + 1


def test_a_change_that_is_not_committed_is_in_nobodys_gallery(database: Database) -> None:
    """A process that dies before its commit leaves nobody enrolled."""
    gallery = live(database, CountingGalleries())
    gallery.current()
    account = AccountId(uuid4())
    with pytest.raises(RuntimeError), database.writing() as unit:
        unit.references.open_account(account, ConsentGiven("v", "0" * 64, CLOCK()))
        unit.references.add([VAULT.seal_reference(template(1), account)], CLOCK())
        unit.history.record(account, CLOCK())
        raise RuntimeError

    assert len(gallery.current()) == 0


def test_references_of_another_extractor_stay_out(database: Database) -> None:
    """After a change of extractor the old templates wait for their people to come again."""
    enrol(database, 1)
    gallery = LiveGallery(CountingGalleries(), type(FAKE_EXTRACTOR)("fake-2"), database, VAULT)

    assert len(gallery.current()) == 0


def test_a_wrong_key_is_noticed_when_the_gallery_is_built(database: Database) -> None:
    """Better no service than one that knows nobody."""
    enrol(database, 1)
    gallery = live(database, CountingGalleries(), Vault(TemplateCipher(b"x" * 32)))

    with pytest.raises(SealBroken):
        gallery.current()
