"""The gallery, kept in step with the encrypted references in the database.

The database is the truth. Every change of an account's references takes a sequence number in
the transaction that makes it; before each search the gallery catches up with the numbers that
were committed meanwhile, by whichever process. So a palm that was deleted in one worker is not
recognised by another one a moment later, and an enrolment that was not committed is in nobody's
gallery. On disk it is kept so that a start need not read everything.

When templates are to be sealed under a new key, the gallery is built anew beside the old one,
turned by the new key's rotation, while the old one goes on serving.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from engine.errors import DirectoryFault
from engine.gallery.durability.erasures import Erasures
from engine.gallery.durability.stored_state import StoredState
from engine.gallery.port import Gallery
from engine.types import ExtractorId
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.sync import GallerySync
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.key_ring import KeyId
from mobile_api.storage.transaction import Storage, Transaction


@dataclass(frozen=True, slots=True)
class GalleryState:
    """How a process's gallery is doing: the metric.

    Attributes:
        stored: the gallery and its files.
        lag_s: how long ago the gallery was last known to be what the database holds.
    """

    stored: StoredState
    lag_s: float


class Galleries(Protocol):
    """Where the galleries of one extractor are kept."""

    erasures: Erasures

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key, empty if there is none."""

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Keep every other process out of the gallery of a key."""

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key for good."""

    def close(self) -> None:
        """Let go of everything."""


class GalleryReplica:
    """A gallery that follows the database.

    Args:
        galleries: of this process and extractor.
        extractor: whose references it holds.
        storage: the truth.
        encryption: opens references.
        clock: seconds, for the lag.
    """

    def __init__(
        self,
        galleries: Galleries,
        extractor: ExtractorId,
        storage: Storage,
        encryption: TemplateEncryption,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._galleries, self._storage, self._encryption = galleries, storage, encryption
        self._sync = GallerySync(extractor, encryption, galleries.erasures)
        self._clock = clock
        self._lock, self._maintenance = threading.Lock(), threading.Lock()
        self._keyed, self._is_checked = galleries.open(encryption.key_id), False
        self._rebuilding: threading.Thread | None = None
        self._current_at = clock()

    def current(self) -> Gallery:
        """Return the gallery as the database has it now."""
        asked_at = self._clock()
        with self._storage.reading() as transaction:
            gallery = self.at(transaction, transaction.history.head())
        self._current_at = max(self._current_at, asked_at)
        return gallery

    def at(self, transaction: Transaction, head: int) -> Gallery:
        """Return the gallery, brought to a change that is committed.

        Args:
            transaction: sees that change.
            head: the change's number.
        """
        with self._lock:
            if head > self._keyed.stored.sequence or not self._is_checked:
                self._catch_up(self._keyed, transaction, head)
                self._is_checked = True
            if self._encryption.key_id != self._keyed.key_id and not self._is_rebuilding():
                self._rebuilding = threading.Thread(
                    target=self._rebuild, name="gallery renewal"
                )
                self._rebuilding.start()
            return self._keyed.gallery

    def maintain(self, erasure_lag_s: float) -> None:
        """Follow, repair and write what is due: to be called several times a second.

        Args:
            erasure_lag_s: how long files may hold what was erased.
        """
        with self._maintenance:
            self.current()
            self._repair()
            self._keyed.stored.tend(erasure_lag_s)
            with suppress(DirectoryFault):
                self._galleries.erasures.flush()

    def verify(self) -> int:
        """Read all files; return how many parts are not what was written, and repair them."""
        faults = self._keyed.stored.verify()
        if faults:
            self._repair()
        return faults

    def checkpoint(self) -> None:
        """Write a snapshot now.

        Raises:
            DirectoryFault: the disk refuses.
        """
        self._keyed.stored.checkpoint()

    def state(self) -> GalleryState:
        """Return how the gallery is doing."""
        return GalleryState(self._keyed.stored.state(), self._clock() - self._current_at)

    def wait(self) -> None:
        """Wait for a renewal that is under way."""
        if self._rebuilding is not None:
            self._rebuilding.join()

    def close(self) -> None:
        """Wait for a renewal that is under way, write what is left, and let go of the files.

        What another process erased a moment ago, as the command for deletion codes does, is put
        on the list of erasures, if the database answers: its backup may replace it next.
        """
        with suppress(Exception):
            self.current()
            self._galleries.erasures.flush()
        self.wait()
        with self._maintenance, self._lock:
            self._keyed.stored.close()
            self._galleries.close()

    def _catch_up(self, keyed: KeyedGallery, transaction: Transaction, head: int) -> None:
        """Bring a gallery to a change, unless another process has done so meanwhile."""
        with self._galleries.lock(keyed.key_id):
            keyed.stored.refresh()
            if keyed.stored.sequence <= head:
                self._sync.catch_up(keyed, transaction, head)
                return
            with self._storage.reading() as now:
                self._sync.catch_up(keyed, now, now.history.head())

    def _repair(self) -> None:
        """Bring again what was found damaged."""
        with self._storage.reading() as transaction, self._lock:
            if damaged := self._keyed.stored.damaged():
                with self._galleries.lock(self._keyed.key_id):
                    self._sync.repair(self._keyed, transaction, damaged)

    def _is_rebuilding(self) -> bool:
        return self._rebuilding is not None and self._rebuilding.is_alive()

    def _rebuild(self) -> None:
        """Build the gallery under the new key; whoever asks next brings it up to date."""
        keyed = self._galleries.open(self._encryption.key_id)
        with self._storage.reading() as transaction:
            self._catch_up(keyed, transaction, transaction.history.head())
        with suppress(DirectoryFault):
            keyed.stored.checkpoint()
        with self._maintenance, self._lock:
            outdated, self._keyed = self._keyed, keyed
        self._galleries.retire(outdated.key_id)
