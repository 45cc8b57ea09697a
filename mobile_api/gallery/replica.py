"""The gallery as a replica of the encrypted references in the database.

Each change of an account's references gets a sequence number in its own transaction. Before
each search the replica catches up with all committed numbers: a palm deleted in one process
stops matching in all, and an uncommitted enrolment is in no gallery.

When the primary key changes, a gallery under the new key's rotation is built beside the old
one, which keeps serving.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final, Protocol

from sqlalchemy.exc import SQLAlchemyError

from engine.errors import DirectoryFault, GalleryFault
from engine.gallery.durability.stored_state import StoredState
from engine.gallery.port import Gallery
from engine.types import ExtractorId
from mobile_api.errors import MobileError
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.sync import GallerySync
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.logging import ErrorType
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.key_file import KeyId
from oidc.errors import OidcError

LOGGER: Final = logging.getLogger("thenar.mobile")


@dataclass(frozen=True, slots=True)
class GalleryState:
    """Metrics of a process's gallery.

    Attributes:
        lag_s: seconds since the gallery was last known to equal the database.
    """

    stored: StoredState
    lag_s: float


class Galleries(Protocol):
    """Where the galleries of one extractor are stored."""

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key, empty if there is none."""

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Lock the gallery of a key against other processes."""

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key."""

    def close(self) -> None:
        """Release all resources."""


class GalleryReplica:
    """A gallery that follows the database."""

    def __init__(
        self,
        galleries: Galleries,
        extractor: ExtractorId,
        database: Database,
        encryption: TemplateEncryption,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._galleries, self._database, self._encryption = galleries, database, encryption
        self._sync = GallerySync(extractor, encryption)
        self._clock = clock
        self._lock, self._maintenance = threading.Lock(), threading.Lock()
        self._keyed, self._is_checked = galleries.open(encryption.key_id), False
        self._rebuilding: threading.Thread | None = None
        self._current_at = clock()

    def current(self) -> Gallery:
        """Return the gallery as the database has it now."""
        asked_at = self._clock()
        with self._database.read_in_transaction() as transaction:
            gallery = self.at(transaction, transaction.history.head())
        self._current_at = max(self._current_at, asked_at)
        return gallery

    def at(self, transaction: Transaction, head: int) -> Gallery:
        """Return the gallery, updated to the committed change ``head``."""
        with self._lock:
            if head > self._keyed.stored.position.sequence or not self._is_checked:
                self._catch_up(self._keyed, transaction, head)
                self._is_checked = True
            if self._encryption.key_id != self._keyed.key_id and not self._is_rebuilding():
                self._rebuilding = threading.Thread(
                    target=self._rebuild, name="gallery rebuild"
                )
                self._rebuilding.start()
            return self._keyed.gallery

    def maintain(self, erasure_lag_s: float) -> None:
        """Update, repair and write what is due; called several times a second."""
        with self._maintenance:
            self.current()
            self._repair()
            self._keyed.stored.maintain(erasure_lag_s)

    def verify(self) -> int:
        """Read all files, repair what is damaged, and return how many parts that was."""
        faults = self._keyed.stored.verify()
        if faults:
            self._repair()
        return faults

    def checkpoint(self) -> None:
        """Write a snapshot now. Raises DirectoryFault."""
        self._keyed.stored.checkpoint()

    def state(self) -> GalleryState:
        """Return the metrics."""
        return GalleryState(self._keyed.stored.state(), self._clock() - self._current_at)

    def wait(self) -> None:
        """Wait for a rebuild under a new key, if one is running."""
        if self._rebuilding is not None:
            self._rebuilding.join()

    def close(self) -> None:
        """Wait for a rebuild, write the rest and close the files."""
        self.wait()
        with self._maintenance, self._lock:
            self._keyed.stored.close()
            self._galleries.close()

    def _catch_up(self, keyed: KeyedGallery, transaction: Transaction, head: int) -> None:
        """Update a gallery to a change, unless another process already has."""
        with self._galleries.lock(keyed.key_id):
            keyed.stored.refresh()
            if keyed.stored.position.sequence <= head:
                self._sync.catch_up(keyed, transaction, head)
                return
            with self._database.read_in_transaction() as now:
                self._sync.catch_up(keyed, now, now.history.head())

    def _repair(self) -> None:
        with self._database.read_in_transaction() as transaction, self._lock:
            if damaged := self._keyed.stored.pop_damaged():
                with self._galleries.lock(self._keyed.key_id):
                    self._sync.repair(self._keyed, transaction, damaged)

    def _is_rebuilding(self) -> bool:
        return self._rebuilding is not None and self._rebuilding.is_alive()

    def _rebuild(self) -> None:
        """Replace the gallery; what fails, as an old key may go meanwhile, is begun again."""
        try:
            self._replace(self._galleries.open(self._encryption.key_id))
        except (SQLAlchemyError, GalleryFault, MobileError, OidcError) as fault:
            LOGGER.warning("a gallery was not rebuilt: %s", ErrorType(fault))

    def _replace(self, keyed: KeyedGallery) -> None:
        """Serve the gallery under the new key; the next search brings it up to date."""
        try:
            with self._database.read_in_transaction() as transaction:
                self._catch_up(keyed, transaction, transaction.history.head())
        except BaseException:
            keyed.stored.close()
            raise
        with suppress(DirectoryFault):
            keyed.stored.checkpoint()
        with self._maintenance, self._lock:
            outdated, self._keyed = self._keyed, keyed
        self._galleries.retire(outdated.key_id)
