"""The rows of a gallery: records by slot, and packed rows of each hand.

Changes are made under ``versions.write_lock``. For the disk, slots are cut into blocks; packed
rows are stored with them, so that a start need not rotate and encode a million vectors.

Reads take no lock: a search notices what changed while it ran. The version is odd during a
change. A reader that sees the same even version before and after has read one state (a sequence
lock; Lameter 2005). Changed slots are logged, so that a scan of milliseconds rechecks only
those.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.gallery.rows import ABSENT, BLOCK_SLOTS, HANDS, Records, packed_bits, row_type
from engine.gallery.search.side_index import SideIndex
from engine.types import ExtractorId, GroupId, PalmTemplate, Reference, ReferenceId

_LOG_SLOTS: Final = 1 << 16
"""Most changed slots that are remembered. If more change during a search, it starts again."""


class VersionedReads:
    """The version of a gallery and the slots changed lately."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._version = 0
        self._touched = np.zeros(_LOG_SLOTS, np.int64)
        self._count = 0

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Exclude other writers, and readers that need a lock. Lock-free readers go on."""
        with self._mutex:
            yield

    @contextmanager
    def change(self) -> Iterator[int]:
        """Make one change under ``write_lock``; yields its number, above 0."""
        self._version += 1
        try:
            yield self._version
        finally:
            self._version += 1

    def mark_changed(self, slots: NDArray[np.int64]) -> None:
        """Log slots that were filled or emptied, or whose row moved, within ``change``."""
        where = np.arange(self._count, self._count + len(slots)) % _LOG_SLOTS
        self._touched[where] = slots
        self._count += len(slots)

    def stable_version(self) -> int:
        """Return an even version; waits for a change in progress."""
        version = self._version
        if version % 2:
            with self._mutex:
                version = self._version
        return version

    def is_unchanged(self, version: int) -> bool:
        """Return whether ``stable_version`` would return this version again."""
        return self._version == version

    def start_after(self, change: int) -> None:
        """Continue the numbers after a change made before the gallery was opened."""
        self._version = change + change % 2

    @property
    def changed_count(self) -> int:
        """Slots logged so far."""
        return self._count

    def changed_since(self, count: int) -> NDArray[np.int64] | None:
        """Return the slots logged after this count; None if too many."""
        now = self._count
        if now - count > _LOG_SLOTS // 2:
            return None
        return self._touched[np.arange(count, now) % _LOG_SLOTS]


class RowStore:
    """References as rows.

    Attributes:
        records: what is known of each slot.
        hands: the packed rows of each of ``HANDS``.
    """

    def __init__(
        self, dimension: int, code_bytes: int, *, threads: int, segment_rows: int
    ) -> None:
        self.records, self.versions = Records(dimension, code_bytes), VersionedReads()
        self.hands = [
            SideIndex(
                dimension, packed_bits(dimension), threads=threads, segment_rows=segment_rows
            )
            for _ in HANDS
        ]
        self._row_type = row_type(dimension, code_bytes)
        self._touched: set[int] = set()

    @property
    def block_count(self) -> int:
        """Number of blocks."""
        return -(-self.records.slot_count // BLOCK_SLOTS)

    def exchange(self, leaving: Sequence[int], references: Sequence[Reference]) -> None:
        """Erase slots and add references, as one change."""
        slots = self._prepared(references)
        sides = self.records.sides[slots]
        with self.versions.change() as change:
            for side in np.unique(sides).tolist():
                self.hands[side].add(int(np.count_nonzero(sides == side)))
            moved = [self._close_row(slot) for slot in leaving]
            for slot in leaving:
                self.records.erase(slot)
            self.records.publish(slots, change)
            touched = [*leaving, *(slot for slot in moved if slot != ABSENT), *slots.tolist()]
            self.versions.mark_changed(np.array(touched, np.int64))
        self._touch([*leaving, *slots.tolist()])

    def reference(self, slot: int, extractor: ExtractorId) -> Reference:
        """Return the reference in a slot; its vector has half precision."""
        records = self.records
        vector = records.vectors[slot].astype(np.float32)
        template = PalmTemplate(
            extractor,
            HANDS[int(records.sides[slot])],
            vector / np.float32(np.linalg.norm(vector)),
            records.codes[slot].copy(),
        )
        reference_id = ReferenceId(UUID(bytes=records.ids[slot].tobytes()))
        group_id = GroupId(UUID(bytes=records.groups[slot].tobytes()))
        return Reference(reference_id, group_id, template)

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        slots = np.flatnonzero(self.records.changes[: self.records.slot_count] > 0)
        return self.records.names(slots)

    def pop_touched(self) -> set[int]:
        """Return and clear the blocks that changed."""
        touched, self._touched = self._touched, set()
        return touched

    def block(self, number: int) -> NDArray[np.void]:
        """Return a block's rows (``row_type``), all of them. Call under the write lock."""
        records = self.records
        end = min((number + 1) * BLOCK_SLOTS, records.slot_count)
        slots = np.arange(number * BLOCK_SLOTS, end)
        slots = slots[records.changes[slots] > 0]
        rows, sides = records.rows[slots].astype(np.int64), records.sides[slots]
        alive = np.zeros(len(slots), self._row_type)
        alive["name"], alive["change"] = records.names(slots), records.changes[slots]
        alive["side"], alive["vector"] = sides, records.vectors[slots]
        alive["coarse"], alive["code"] = records.coarse[slots], records.codes[slots]
        for side, hand in enumerate(self.hands):
            alive["packed"][sides == side] = hand.packed(rows[sides == side])
        block = np.zeros(BLOCK_SLOTS, self._row_type)
        block[slots - number * BLOCK_SLOTS] = alive
        return block

    def load(self, blocks: Iterable[NDArray[np.void]]) -> None:
        """Fill an empty store with all blocks, in order.

        Raises:
            DuplicateReference: an identifier comes twice.
        """
        records = self.records
        packed = records.load(blocks)
        slots = np.arange(records.slot_count)
        changes, sides = records.changes[: len(slots)], records.sides[: len(slots)]
        for side, hand in enumerate(self.hands):
            ours = slots[(changes > 0) & (sides == side)]
            records.rows[ours] = np.arange(len(ours))
            if len(ours):
                hand.fill(ours, packed[ours])
        self.versions.start_after(int(changes.max(initial=0)))

    def _prepared(self, references: Sequence[Reference]) -> NDArray[np.int64]:
        if not references:
            return np.zeros(0, np.int64)
        slots = self.records.reserve(len(references))
        try:
            self.records.fill(slots, references, [len(hand) for hand in self.hands])
            sides = self.records.sides[slots]
            vectors = np.stack([reference.template.vector for reference in references])
            for side, hand in enumerate(self.hands):
                if (sides == side).any():
                    hand.prepare(slots[sides == side], vectors[sides == side])
        except BaseException:
            self.records.release(slots)
            self._touch(slots.tolist())
            raise
        return slots

    def _touch(self, slots: Sequence[int]) -> None:
        self._touched.update(slot // BLOCK_SLOTS for slot in slots)

    def _close_row(self, slot: int) -> int:
        """Remove a slot's row; return the slot whose row moved into its place."""
        row = int(self.records.rows[slot])
        moved = self.hands[int(self.records.sides[slot])].remove(row)
        if moved != ABSENT:
            self.records.rows[moved] = row
        return moved
