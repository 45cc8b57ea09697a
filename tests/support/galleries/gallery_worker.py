"""A process that enrols and erases people beside a gallery on disk, until it is killed."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID

from engine.parameters import CODE_BYTES
from mobile_api.gallery.local_store import LocalGalleries, LocalStore
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import group_of
from mobile_api.storage.database import Database, open_engine, upgrade
from oidc.types import AccountId
from tests.support.galleries import people
from tests.support.galleries.people import ENCRYPTION
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, template

ENROL, ERASE = "enrol", "erase"

ERASURE_LAG_S = 0.05

Report = tuple[str, int, bool]
"""An operation, its person, and whether it was acknowledged."""


def account_of(person: int, life: int = 0) -> AccountId:
    """Return the account of a person; each enrolment begins another one."""
    return AccountId(UUID(int=(life << 32) + person + 1, version=4))


class Following:
    """A database and the gallery that follows it, as a process of the service has them."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(open_engine(f"sqlite:///{folder / 'biometric.sqlite3'}"))
        galleries = LocalGalleries(
            LocalStore(folder / "gallery"),
            ENCRYPTION,
            FAKE_EXTRACTOR,
            dimension=FAKE_DIMENSION,
            code_bytes=CODE_BYTES,
        )
        self.replica = GalleryReplica(galleries, FAKE_EXTRACTOR, self.database, ENCRYPTION)

    def enrol(self, person: int, life: int = 0) -> None:
        """Enrol a person with two samples; return when searches show it."""
        people.enrol(self.database, person, account=account_of(person, life))
        self.replica.current()

    def erase(self, person: int, life: int = 0) -> None:
        """Erase a person; return when searches show it."""
        people.erase(self.database, account_of(person, life))
        self.replica.current()

    def is_found(self, person: int) -> bool:
        """Search for a person by another picture; all references or none must be there."""
        gallery = self.replica.current()
        kept = len(gallery.references_of(group_of(account_of(person))))
        found = gallery.search([template(person, shot=9)])
        is_first = bool(found) and found[0].group_id == group_of(account_of(person))
        assert (kept, is_first) in ((2, True), (0, False)), (person, kept, is_first)
        return is_first

    def close(self) -> None:
        """Write the rest and close all files."""
        self.replica.close()
        self.database.close()


@contextmanager
def following(folder: Path) -> Iterator[Following]:
    """Open both; an empty database is made first."""
    if not (folder / "biometric.sqlite3").exists():
        engine = open_engine(f"sqlite:///{folder / 'biometric.sqlite3'}")
        upgrade(engine)
        engine.dispose()
    opened = Following(folder)
    try:
        yield opened
    finally:
        opened.close()


def change_until_killed(
    folder: Path, seed: int, present: set[int], reports: Connection[Report, None]
) -> None:
    """Enrol and erase; report each change before it is made and when it is acknowledged."""
    chance = random.Random(seed)  # noqa: S311 -- whom, not a secret
    opened = Following(folder)
    opened.replica.current()
    threading.Thread(target=_maintain, args=(opened,), daemon=True).start()
    person = 1000 * seed
    while True:
        if present and chance.random() < len(present) / 60:
            change, who = ERASE, chance.choice(sorted(present))
        else:
            change, who, person = ENROL, person, person + 1
        reports.send((change, who, False))
        if change == ENROL:
            opened.enrol(who)
            present.add(who)
        else:
            opened.erase(who)
            present.discard(who)
        reports.send((change, who, True))


def _maintain(opened: Following) -> None:
    number = 0
    while True:
        number += 1
        opened.replica.maintain(ERASURE_LAG_S)
        if number % 7 == 0:
            opened.replica.checkpoint()
