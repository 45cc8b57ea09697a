"""The references of one hand as packed rows, and the slot of each row.

Rows are dense: an erasure moves the last row into the gap. Slots do not move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.gallery.protection.rotation import fixed_rotation
from engine.gallery.rows.chunked_array import ChunkedArray
from engine.gallery.rows.id_table import ABSENT
from engine.gallery.search.packed_index import PackedIndex
from engine.gallery.search.short_list import slots_of
from engine.parameters import SCANNED_ROWS, SCANNED_SHARE

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray

    from engine.gallery.rows.records import Records
    from engine.gallery.search.pq_layout import Encoder

_EXACT_ROWS: Final = 4096
"""Rows per step of an exact search: they fit the cache."""

_SHARED_ROWS: Final = 1 << 15
"""Rows from which a second thread pays off: waking it costs about 20,000 rows."""


class SideIndex:
    """Packed rows of one hand. One writer at a time, any number of searches beside it.

    ``side`` is an index of ``records.HANDS``; the rest is as for ``PackedIndex``.
    """

    def __init__(
        self,
        side: int,
        encoder: Encoder,
        *,
        dimension: int,
        bits: int,
        shards: int,
        segment_rows: int,
    ) -> None:
        self._side = side
        self._rotation = fixed_rotation(dimension)
        self._rows = PackedIndex(
            encoder, dimension, bits, shards=shards, segment_rows=segment_rows
        )
        self._slots = ChunkedArray((), np.int32, fill=ABSENT)

    def __len__(self) -> int:
        """Return how many references are scanned."""
        return len(self._rows)

    def prepare(self, slots: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Write references behind the last row, invisible to scans."""
        first = len(self._rows)
        self._rows.write(first, vectors @ self._rotation)
        self._slots.grow_to(first + len(slots))
        self._slots.put(np.arange(first, first + len(slots)), slots)

    def fill(self, slots: NDArray[np.int64], packed: NDArray[np.uint8]) -> None:
        """Show references read from disk; ``slots`` of rows 0 on."""
        self._slots.grow_to(len(slots))
        self._slots.put(np.arange(len(slots)), slots)
        self._rows.fill(packed)

    def packed(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return packed rows as ``fill`` takes them."""
        return self._rows.packed(rows)

    def add(self, count: int) -> None:
        """Make this many prepared rows visible."""
        self._rows.show(len(self._rows) + count)

    def remove(self, row: int) -> int:
        """Move the last row into a row, and overwrite its last place.

        Returns:
            The slot whose row moved, or ``ABSENT``.
        """
        last = len(self._rows) - 1
        moved = ABSENT
        if row != last:
            moved = int(self._slots[last])
            self._rows.move(last, row)
            self._slots[row] = moved
        self._rows.show(last)
        self._rows.clear(last)
        self._slots[last] = ABSENT
        return moved

    def nearest(
        self, vectors: NDArray[np.float32], pool: ThreadPoolExecutor | None
    ) -> NDArray[np.int64]:
        """Return the slots of the probes' short lists, each once, int64.

        Args:
            vectors: of the probes, shape (probes, dimension).
            pool: scans all shards but the first; None: sequentially.
        """
        together = pool if len(self._rows) >= _SHARED_ROWS else None
        count = scanned_rows(len(self._rows))
        rows = self._rows.nearest(vectors @ self._rotation, count, together)
        return slots_of(self._slots.place, np.sort(np.concatenate(rows)))

    def nearest_exactly(
        self, vectors: NDArray[np.float32], records: Records
    ) -> NDArray[np.int64]:
        """Return what ``nearest`` would without packing."""
        count = scanned_rows(len(self))
        slots = np.zeros((len(vectors), 0), np.int64)
        cosines = np.zeros((len(vectors), 0), np.float32)
        for first in range(0, records.slot_count, _EXACT_ROWS):
            here = np.arange(first, min(first + _EXACT_ROWS, records.slot_count))
            alive = (records.changes.take(here) > 0) & (records.sides.take(here) == self._side)
            here = here[alive]
            kept = records.vectors.take(here).astype(np.float32)
            lengths = np.maximum(np.linalg.norm(kept, axis=1), np.finfo(np.float32).tiny)
            slots = np.hstack([slots, np.broadcast_to(here, (len(vectors), len(here)))])
            cosines = np.hstack([cosines, (vectors @ kept.T) / lengths])
            if cosines.shape[1] > count:
                best = np.argpartition(-cosines, count - 1, axis=1)
                best = best[:, :count]
                slots = np.take_along_axis(slots, best, axis=1)
                cosines = np.take_along_axis(cosines, best, axis=1)
        return np.unique(slots)


def scanned_rows(rows: int) -> int:
    """Return how many rows a scan keeps for each probe."""
    return max(SCANNED_ROWS, round(SCANNED_SHARE * rows))
