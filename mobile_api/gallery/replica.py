"""The gallery as a replica of the encrypted references in the database.

Each change of an account's references gets a sequence number in its own transaction. Before
each search the replica catches up with all committed numbers: a palm deleted in one process
stops matching in all, and an uncommitted enrolment is in no gallery.

When the primary key changes, a gallery under the new key's rotation is built beside the old
one, which keeps serving.

Usually it applies the changes since the gallery's position, account by account. If some are
missing, or do not say of whom, it compares all reference names and reads the differences. If
the database has another history, because a backup was restored, the gallery begins again.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Final, Protocol, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.exc import SQLAlchemyError

from engine.errors import DirectoryFault, GalleryFault
from engine.gallery.durability.state import StoredState
from engine.gallery.port import ChangeableGallery, Gallery, Position
from engine.types import ExtractorId, ReferenceId
from mobile_api.errors import MobileError
from mobile_api.gallery.template_encryption import TemplateEncryption, group_of
from mobile_api.observability.logging import ErrorType
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.key_file import KeyId
from mobile_api.storage.stores.references import EncryptedReference, GalleryChange
from oidc.errors import OidcError
from oidc.types import AccountId


class GalleryStore(ChangeableGallery, Protocol):
    """A gallery that outlives this process, on disk or on a server; vectors are rotated.

    Attributes:
        position: the last database change in it; unknown if it may lack references.
    """

    position: Position

    def refresh(self) -> None:
        """Load what other processes changed, if they can."""

    def reach(self, position: Position) -> None:
        """Record the database change up to which all changes were made."""

    def reset(self) -> None:
        """Distrust everything; what it still holds then is intact, but may be outdated."""

    def names(self) -> NDArray[np.uint8]:
        """Return reference and group identifiers, uint8, shape (references, 32)."""

    def pop_damaged(self) -> list[ReferenceId]:
        """Return, once, damaged references: to be erased and loaded again."""

    def maintain(self, erasure_lag_s: float) -> None:
        """Do what is due; called every few seconds."""

    def verify(self) -> int:
        """Read everything; return how many parts are damaged."""

    def checkpoint(self) -> None:
        """Write everything now."""

    def state(self) -> StoredState:
        """Return the metrics."""

    def close(self) -> None:
        """Write the rest and close."""


@dataclass(frozen=True, slots=True)
class KeyedGallery:
    """A gallery of one extractor and one key.

    Attributes:
        gallery: searches, and returns plain vectors.
        stored: what stores it, with rotated vectors.
        key_id: of the key that rotates them.
    """

    gallery: Gallery
    stored: GalleryStore
    key_id: KeyId


STEP_ROWS: Final = 1_000
"""References or accounts read at once."""

_T = TypeVar("_T")


class GallerySync:
    """Synchronises one extractor's galleries."""

    def __init__(self, extractor: ExtractorId, encryption: TemplateEncryption) -> None:
        self._extractor, self._encryption = extractor, encryption

    def catch_up(self, keyed: KeyedGallery, transaction: Transaction, head: int) -> None:
        """Bring a gallery to the change ``head``; one thread at a time.

        Raises DecryptionFailed.
        """
        stored = keyed.stored
        since, change_id = stored.position
        changes = [c for c in transaction.history.since(since - 1) if c.sequence <= head]
        if since > head or _is_foreign(stored.position, changes):
            stored.reset()
            changes = [c for c in transaction.history.since(head - 1) if c.sequence <= head]
        if stored.position.sequence >= 0 and _are_complete(changes, since, head):
            self._apply_changes(keyed, transaction, [c for c in changes if c.sequence > since])
        else:
            self._reconcile(keyed, transaction)
        stored.reach(Position(head, changes[-1].change_id.bytes if changes else change_id))

    def repair(
        self, keyed: KeyedGallery, transaction: Transaction, names: Iterable[ReferenceId]
    ) -> None:
        """Load damaged references again."""
        damaged = [name for name in names if name in keyed.stored]
        if damaged:
            rows = transaction.references.find_many(damaged)
            keyed.stored.erase(damaged)
            self._enrol(keyed, [row for row in rows if row.extractor == self._extractor])

    def _apply_changes(
        self, keyed: KeyedGallery, transaction: Transaction, changes: Iterable[GalleryChange]
    ) -> None:
        for account in dict.fromkeys(c.account for c in changes if c.account):
            self._apply_account(keyed, transaction, account)

    def _apply_account(
        self, keyed: KeyedGallery, transaction: Transaction, account: AccountId
    ) -> None:
        rows = transaction.references.of_account(account, self._extractor)
        stored = {row.reference_id: row for row in rows}
        held = {r.reference_id for r in keyed.stored.references_of(group_of(account))}
        if new := [row for name, row in stored.items() if name not in held]:
            self._enrol(keyed, new)
        if gone := [name for name in held if name not in stored]:
            keyed.stored.erase(gone)

    def _reconcile(self, keyed: KeyedGallery, transaction: Transaction) -> None:
        """Compare all names, erase what is superfluous and read what is missing."""
        held = keyed.stored.names()
        theirs = b"".join(name.bytes for name in transaction.references.ids(self._extractor))
        wanted = np.frombuffer(theirs, "V16")
        ours = np.ascontiguousarray(held[:, :16]).view("V16").ravel()
        is_extra = ~np.isin(ours, wanted)
        for names in _batches(_identifiers(ours[is_extra])):
            keyed.stored.erase(names)
        for names in _batches(_identifiers(wanted[~np.isin(wanted, ours)])):
            self._enrol(keyed, transaction.references.find_many(names))

    def _enrol(self, keyed: KeyedGallery, rows: Sequence[EncryptedReference]) -> None:
        keyed.stored.enrol(self._encryption.rotated_references(rows, keyed.key_id))


def _are_complete(changes: Sequence[GalleryChange], since: int, head: int) -> bool:
    """Return whether all changes since a number are there, and name their account.

    A gallery that stands at a number other than 0 finds its own change among them.
    """
    is_known = all(c.account for c in changes if c.sequence > since)
    return is_known and len(changes) == head - since + (1 if since else 0)


def _is_foreign(position: Position, changes: Sequence[GalleryChange]) -> bool:
    """Return whether the database has another change where the gallery stopped."""
    there = [c for c in changes if c.sequence == position.sequence]
    return bool(there) and there[0].change_id.bytes != position.change_id


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    rest = iter(items)
    while batch := list(islice(rest, STEP_ROWS)):
        yield batch


def _identifiers(names: NDArray[np.void]) -> Iterator[ReferenceId]:
    for name in names:
        yield ReferenceId(UUID(bytes=name.tobytes()))


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
    ) -> None:
        self._galleries, self._database, self._encryption = galleries, database, encryption
        self._sync = GallerySync(extractor, encryption)
        self._lock, self._maintenance = threading.Lock(), threading.Lock()
        self._keyed, self._is_checked = galleries.open(encryption.key_id), False
        self._rebuilding: threading.Thread | None = None
        self._current_at = monotonic()

    def current(self) -> Gallery:
        """Return the gallery as the database has it now."""
        asked_at = monotonic()
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
        """Update, repair and write what is due; called every few seconds."""
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
        return GalleryState(self._keyed.stored.state(), monotonic() - self._current_at)

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
        if not (damaged := self._keyed.stored.pop_damaged()):
            return
        with (
            self._database.read_in_transaction() as transaction,
            self._lock,
            self._galleries.lock(self._keyed.key_id),
        ):
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
