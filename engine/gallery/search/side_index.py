"""The references of one hand as packed rows, and the slot of each row.

Rows are dense: an erasure moves the last row into the gap. Slots do not move. Rows lie in
segments of one size, which threads share.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray

from engine.errors import GalleryFault
from engine.gallery.rows import ABSENT, Records, grown
from engine.gallery.search.pq_layout import BLOCK_ROWS, Encoder, Nibbles, Segment
from engine.parameters import SCANNED_ROWS, SCANNED_SHARE

Found = tuple[NDArray[np.float32], NDArray[np.int64]]


_SHARED_ROWS: Final = 1 << 15
"""Rows from which a second thread pays off: waking it costs about 20,000 rows."""


class SideIndex:
    """Packed rows of one hand. One writer at a time, any number of searches beside it.

    ``bits`` is per dimension; ``threads`` share a scan; ``segment_rows``, a multiple of 32, are
    allocated at once by all of them.
    """

    def __init__(self, dimension: int, bits: int, *, threads: int, segment_rows: int) -> None:
        if segment_rows < 1 or segment_rows % BLOCK_ROWS or threads < 1:
            raise GalleryFault("a segment holds whole blocks, and at least one thread scans")
        self._dimension, self._bits, self._threads = dimension, bits, threads
        self._encoder = Encoder(dimension, bits)
        self._segment_rows = max(1, segment_rows // threads // BLOCK_ROWS) * BLOCK_ROWS
        self._segments: list[Segment] = []
        self._slots = np.zeros(0, np.int32)
        self._count = 0

    def __len__(self) -> int:
        """Return how many references are scanned."""
        return self._count

    def prepare(self, slots: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Write references behind the last row, invisible to scans."""
        rows = np.arange(self._count, self._count + len(slots))
        self._grow_to(self._count + len(slots))
        self._slots[rows] = slots
        codes = self._encoder.encode(vectors)
        for number, here, places in self._by_segment(rows):
            self._segments[number].write(places, codes[here])

    def fill(self, slots: NDArray[np.int64], packed: NDArray[np.uint8]) -> None:
        """Take references that were read from disk, from the first row on.

        ``packed`` has two parts in an octet, shape (rows, parts / 2).
        """
        self._grow_to(len(slots))
        self._slots[: len(slots)] = slots
        for number, segment in enumerate(self._segments):
            here = packed[number * self._segment_rows : (number + 1) * self._segment_rows]
            codes = np.empty((len(here), 2 * here.shape[1]), np.uint8)
            codes[:, 0::2], codes[:, 1::2] = here & 15, here >> 4
            segment.fill(codes)
        self._show(len(slots))

    def packed(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return packed rows as ``fill`` takes them."""
        codes = np.zeros((len(rows), self._encoder.parts), np.uint8)
        for number, here, places in self._by_segment(rows):
            codes[here] = self._segments[number].read_many(places)
        packed: NDArray[np.uint8] = codes[:, 0::2] | (codes[:, 1::2] << np.uint8(4))
        return packed

    def add(self, count: int) -> None:
        """Make this many prepared rows visible."""
        self._show(self._count + count)

    def remove(self, row: int) -> int:
        """Move the last row into a row, and overwrite its last place.

        Returns:
            The slot whose row moved, or ``ABSENT``.
        """
        last = self._count - 1
        segment, place = self._place(last)
        moved = ABSENT
        if row != last:
            moved = int(self._slots[last])
            self._write_one(row, segment.read(place))
            self._slots[row] = moved
        self._show(last)
        self._write_one(last, np.zeros((1, self._encoder.parts), np.uint8))
        self._slots[last] = ABSENT
        return moved

    def nearest(
        self, vectors: NDArray[np.float32], pool: ThreadPoolExecutor | None
    ) -> NDArray[np.int64]:
        """Return the slots of the nearest rows of any probe by packed rows, int64, each once.

        Args:
            vectors: of the probes, shape (probes, dimension).
            pool: scans all shares of the rows but the first; None: sequentially.
        """
        together = pool if self._count >= _SHARED_ROWS else None
        rows = self.nearest_rows(vectors, scanned_rows(self._count), together)
        found = np.sort(np.concatenate(rows))
        # Faster than np.unique, above all beside enrolments.
        slots = self._slots[found[np.diff(found, prepend=-1) > 0]].astype(np.int64)
        return np.asarray(slots[slots != ABSENT])

    def nearest_exactly(
        self, vectors: NDArray[np.float32], count: int, records: Records
    ) -> NDArray[np.int64]:
        """Return the slots of the ``count`` nearest rows of any probe by vectors, each once."""
        slots: NDArray[np.int64] = self._slots[: self._count].astype(np.int64)
        slots = slots[slots != ABSENT]
        cosines = records.products(slots, vectors)
        if len(slots) <= count:
            return slots
        return slots[np.unique(np.argpartition(-cosines, count - 1, axis=1)[:, :count])]

    def nearest_rows(
        self, vectors: NDArray[np.float32], count: int, pool: ThreadPoolExecutor | None
    ) -> list[NDArray[np.int64]]:
        """Return, for each probe, the nearest ``count`` rows by estimate."""
        probes = self._encoder.rotated(vectors)
        numbers = range(len(self._segments))
        shares = [numbers[first :: self._threads] for first in range(self._threads)]
        if pool is None:
            found = [self._scan(share, probes, count) for share in shares]
        else:
            rest = [pool.submit(self._scan, share, probes, count) for share in shares[1:]]
            found = [self._scan(shares[0], probes, count), *(scan.result() for scan in rest)]
        estimates = np.concatenate([estimate for estimate, _ in found], axis=1)
        rows = np.concatenate([row for _, row in found], axis=1)
        return [_best(*line, count) for line in zip(estimates, rows, strict=True)]

    def _scan(self, numbers: range, probes: NDArray[np.float32], count: int) -> Found:
        """Scan some segments: estimates and rows, −1 for none; shape (probes, any)."""
        # Set per calling thread: more threads would compete for cores.
        faiss.omp_set_num_threads(1)
        estimates = [np.zeros((len(probes), 0), np.float32)]
        rows = [np.zeros((len(probes), 0), np.int64)]
        for number in numbers:
            estimate, places = self._segments[number].scan(probes, count)
            estimates.append(estimate)
            rows.append(np.where(places < 0, -1, places + number * self._segment_rows))
        return np.concatenate(estimates, axis=1), np.concatenate(rows, axis=1)

    def _show(self, count: int) -> None:
        """Make the first ``count`` rows visible to scans."""
        size, (low, high) = self._segment_rows, sorted((self._count, count))
        for number in range(low // size, min(high // size + 1, len(self._segments))):
            self._segments[number].show(min(max(count - number * size, 0), size))
        self._count = count

    def _grow_to(self, count: int) -> None:
        self._slots = grown(self._slots, count, fill=ABSENT)
        while len(self._segments) * self._segment_rows < count:
            self._segments.append(Segment(self._dimension, self._bits, self._segment_rows))

    def _by_segment(
        self, rows: NDArray[np.int64]
    ) -> list[tuple[int, NDArray[np.bool_], NDArray[np.int64]]]:
        """Return each segment concerned, the mask of its rows, and their places in it."""
        numbers, places = np.divmod(rows, self._segment_rows)
        return [(n, numbers == n, places[numbers == n]) for n in np.unique(numbers).tolist()]

    def _place(self, row: int) -> tuple[Segment, int]:
        number, place = divmod(row, self._segment_rows)
        return self._segments[number], place

    def _write_one(self, row: int, code: Nibbles) -> None:
        segment, place = self._place(row)
        segment.write(np.array([place]), code)


def scanned_rows(rows: int) -> int:
    """Return how many rows a scan keeps for each probe."""
    return max(SCANNED_ROWS, round(SCANNED_SHARE * rows))


def _best(
    estimates: NDArray[np.float32], rows: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    there = rows >= 0
    estimates, rows = estimates[there], rows[there]
    if len(rows) <= count:
        return rows
    return np.asarray(rows[np.argpartition(-estimates, count - 1)[:count]], np.int64)
