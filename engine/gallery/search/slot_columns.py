"""The slots of a packed gallery as columns, written to disk a block at a time.

Packed rows are stored with them, so that a start need not rotate and encode a million vectors.
Codes have a store of their own, all but the coarse ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.gallery.rows.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from engine.gallery.rows.records import Records
    from engine.gallery.search.side_index import SideIndex
    from engine.gallery.versioned_reads import VersionedReads

BLOCK_SLOTS: Final = 4096
"""Slots of a block, rewritten when one of them changes."""


class SlotColumns:
    """The slots of a packed gallery, as columns."""

    def __init__(
        self, records: Records, hands: Sequence[SideIndex], versions: VersionedReads, bits: int
    ) -> None:
        self._records, self._hands, self._versions = records, hands, versions
        self._bits = bits
        self._touched: set[int] = set()

    @property
    def block_count(self) -> int:
        """Number of blocks."""
        return -(-self._records.slot_count // BLOCK_SLOTS)

    @property
    def slot_count(self) -> int:
        """Number of slots, empty ones included."""
        return self._records.slot_count

    def touch(self, slots: Sequence[int]) -> None:
        """Record slots that were filled or emptied."""
        self._touched.update(slot // BLOCK_SLOTS for slot in slots)

    def touched(self) -> set[int]:
        """Return and clear the blocks that changed."""
        touched, self._touched = self._touched, set()
        return touched

    def load(self, blocks: Iterable[Columns]) -> None:
        """Fill an empty gallery with all blocks, in order; whole codes stay where they are.

        Raises:
            DuplicateReference: an identifier comes twice.
        """
        records = self._records
        packed = records.load(blocks)
        slots = np.arange(records.slot_count)
        changes, sides = records.changes.first(len(slots)), records.sides.first(len(slots))
        for side, hand in enumerate(self._hands):
            ours = slots[(changes > 0) & (sides == side)]
            records.rows.put(ours, np.arange(len(ours), dtype=np.int32))
            if len(ours):
                hand.fill(ours, packed[ours])
        self._versions.start_after(int(changes.max(initial=0)))

    def block(self, number: int) -> Columns:
        """Return a block; empty slots are zeros. Call under the write lock."""
        records = self._records
        end = min((number + 1) * BLOCK_SLOTS, records.slot_count)
        slots = np.arange(number * BLOCK_SLOTS, end)
        changes, rows = records.changes.take(slots), records.rows.take(slots).astype(np.int64)
        sides, alive = records.sides.take(slots), changes > 0
        packed = np.zeros((len(slots), records.vectors.width * self._bits // 8), np.uint8)
        for side, hand in enumerate(self._hands):
            ours = alive & (sides == side)
            packed[ours] = hand.packed(rows[ours])
        vectors = records.vectors.take(slots)
        vectors[~alive] = 0
        names = records.names(slots) * alive[:, None]
        coarse = records.coarse.take(slots) * alive[:, None]
        return Columns(names, changes, sides * alive, vectors, packed, coarse)

    def names(self, slots: Sequence[int]) -> NDArray[np.uint8]:
        """Return identifier and group of slots, shape (slots, 32); zeros if empty."""
        return self._records.names(np.array(slots, np.int64))

    def all_names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        records = self._records
        ids, groups = (c.first(records.slot_count) for c in (records.ids, records.groups))
        alive = records.changes.first(records.slot_count) > 0
        return np.hstack([ids[alive], groups[alive]])
