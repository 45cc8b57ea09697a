"""A gallery that is also on disk, so that a start takes seconds.

Changes go to memory, which serves. The file is a snapshot of the rows at a position in the
database's history. Its changed blocks are written soon after each change. What came later is
read from the history again, so nothing is lost by a kill. Write faults do not stop the service.
"""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import DirectoryDamaged, DirectoryFault, DuplicateReference, ForeignGallery
from engine.gallery.durability.snapshot_file import SnapshotFile
from engine.gallery.durability.state import ShadowSearch, State, StoredState
from engine.gallery.port import UNKNOWN_POSITION, Position
from engine.gallery.rows import trim_memory
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import ExtractorId, GroupId, Reference, ReferenceId

_RETRY_S: Final = 5.0
"""Pause after a failed snapshot."""


class StoredGallery:
    """Keeps a gallery: changes it, writes snapshots of it and notices damage.

    Args:
        file: of the snapshot.
        shadow_share: of searches, 0 to 1, to repeat exactly. See ``ShadowSearch``.
        new_gallery: makes the gallery in memory.
        clock: gives seconds.

    Attributes:
        gallery: what is searched.
        position: of the last database change in it; unknown if it may lack references.

    Raises:
        DirectoryFault: the files cannot be used.
    """

    def __init__(
        self,
        file: SnapshotFile,
        *,
        shadow_share: float = 0.0,
        new_gallery: Callable[..., MemoryGallery] = MemoryGallery,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._file, self._clock = file, clock
        self._shadow = ShadowSearch(shadow_share)
        self._extractor = ExtractorId(file.rows.extractor)
        self.gallery = new_gallery(
            self._extractor, file.rows.dimension, code_bytes=file.rows.code_bytes
        )
        self.gallery.searched = self._shadow.offer
        self._snapshot_lock, self._ages_lock = threading.Lock(), threading.Lock()
        self._changed_at = self._erased_at = math.inf
        self._state: State | None = None
        self._dirty, self.position = set[int](), UNKNOWN_POSITION
        self._damage_count, self._fault, self._failed_at = 0, "", -math.inf
        self._open()

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""
        self.gallery.enrol(references)
        self._note(self._clock())

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""
        self.gallery.erase(reference_ids)
        self._note(self._clock(), self._clock() if reference_ids else math.inf)

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references."""
        return self.gallery.references_of(group_id)

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return reference_id in self.gallery

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        return self.gallery.rows.names()

    def refresh(self) -> None:
        """Return at once: no other process changes the gallery."""

    def reach(self, position: Position) -> None:
        """Record the database change up to which all changes were made."""
        if position != self.position:
            self.position = position
            self._note(self._clock())

    def reset(self) -> None:
        """Remove everything, on disk too."""
        with self._snapshot_lock:
            self._clear()

    def checkpoint(self) -> None:
        """Write a snapshot, so that nothing erased is left in the file.

        Raises ``DirectoryFault`` if the disk refuses; the gallery continues to serve.
        """
        with self._snapshot_lock:
            position, ages = self.position, self._take_ages()
            try:
                self._write(position)
            except DirectoryFault as fault:
                self._note(*ages)
                self._fault, self._failed_at = fault.code, self._clock()
                raise
            self._fault = ""

    def maintain(self, erasure_lag_s: float) -> None:
        """Write a snapshot if one is due; call every few seconds.

        A change waits for half of ``erasure_lag_s``. If what was erased cannot be written over
        in time, the snapshot is removed: the next one has space again.
        """
        self._shadow.repeat(self.gallery)
        now = self._clock()
        is_due = self._state is None or now - self._changed_at > erasure_lag_s / 2
        if not is_due or now - self._failed_at < min(_RETRY_S, erasure_lag_s / 8):
            return
        try:
            self.checkpoint()
        except DirectoryFault:
            if self.state().erasure_age_s > erasure_lag_s * 3 / 4:
                self._remove_snapshot()

    def pop_damaged(self) -> list[ReferenceId]:
        """Return none: memory has all, and what a start could not read is missing at all."""
        return []

    def verify(self) -> int:
        """Read the file; count damaged parts. A snapshot, due at once, rewrites them."""
        with self._snapshot_lock:
            faults = self._damaged_blocks()
            if faults:
                self._note(-math.inf)
            self._damage_count += faults
            return faults

    def close(self) -> None:
        """Write what is pending. The gallery must not be used afterwards."""
        if self._changed_at < math.inf or self._state is None:
            with suppress(DirectoryFault):
                self.checkpoint()
        self._file.close()

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
        return StoredState(
            rows=len(self.gallery),
            sequence=self.position.sequence,
            disk_bytes=self._file.size(),
            erasure_age_s=max(0.0, self._clock() - self._erased_at),
            damage_count=self._damage_count,
            fault=self._fault,
            shadow=self._shadow.counts,
        )

    def _note(self, changed_at: float, erased_at: float = math.inf) -> None:
        """Note that something was changed, or erased, that the file does not have yet."""
        with self._ages_lock:
            self._changed_at = min(self._changed_at, changed_at)
            self._erased_at = min(self._erased_at, erased_at)

    def _take_ages(self) -> tuple[float, float]:
        with self._ages_lock:
            ages = self._changed_at, self._erased_at
            self._changed_at = self._erased_at = math.inf
            return ages

    def _clear(self) -> None:
        self._file.remove()
        self._state, self._dirty = None, set()
        self._take_ages()
        self.position = UNKNOWN_POSITION
        self.gallery.load([])

    def _open(self) -> None:
        try:
            self._state = self._file.open()
            self.gallery.load(self._blocks())
        except (
            ForeignGallery, DirectoryDamaged, DuplicateReference, ValueError, KeyError,
            TypeError,
        ) as fault:  # fmt: skip
            self._fault = getattr(fault, "code", DirectoryDamaged.code)
            self._damage_count += 1
            self._clear()
            return
        self._damage_count += len(self._dirty)
        if self._state is not None and not self._dirty:
            self.position = self._state.position
        self._file.close()  # its pages that were read would stay mapped
        trim_memory()

    def _blocks(self) -> Iterator[NDArray[np.void]]:
        """Yield all blocks; damaged ones are empty, and written again."""
        for number, tag in enumerate(self._tags):
            block = self._file.read_block(number, tag)
            if block is None:
                self._dirty.add(number)
                block = self._file.empty_block()
            yield block

    @property
    def _tags(self) -> tuple[str, ...]:
        """The tags of the blocks in the file."""
        return () if self._state is None else self._state.tags

    def _write(self, position: Position) -> None:
        """Write changed blocks; a change meanwhile waits for one block only.

        Blocks may be newer than the position: what they have of later changes is made again.
        """
        rows = self.gallery.rows
        with rows.versions.write_lock():
            self._dirty |= rows.pop_touched()
            count = rows.block_count
        tags = [*self._tags, *[""] * count][:count]
        dirty = {*self._dirty, *range(len(self._tags), count)}
        with self._file.transaction() as db:
            for number in sorted(dirty):
                with rows.versions.write_lock():
                    block = rows.block(number)
                tags[number] = self._file.write_block(db, number, block)
            state = State(position, tuple(tags))
            self._file.write_state(db, state)
        self._state = state
        self._dirty.clear()

    def _remove_snapshot(self) -> None:
        with self._snapshot_lock:
            self._state, self._dirty = None, set()
            with suppress(DirectoryFault):
                self._file.remove()
                self._erased_at = math.inf

    def _damaged_blocks(self) -> int:
        """Count damaged blocks; the next snapshot writes them again."""
        if self._state is not None and not self._file.is_sound(self._state):
            self._file.remove()
            self._state = None
            return 1
        known = len(self._dirty)
        for _ in self._blocks():
            pass
        self._file.close()
        return len(self._dirty) - known
