"""Packed rows in the block layout of FAISS, addressed by ourselves.

Product quantisation for fast scanning (André, Kermarrec and Le Scouarnec 2015) interleaves the
codes of 32 rows, so that one instruction looks up 32. FAISS cannot reliably change one row:
with larger blocks it overwrites another. So we write rows ourselves, and ``check_addressing``
compares the result with FAISS's.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import faiss
import numpy as np

from engine.errors import GalleryFault
from engine.gallery.protection.rotation import fixed_rotation
from engine.gallery.rows.memory import use_large_pages
from engine.gallery.search.codebook import centroids

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Nibbles = NDArray[np.uint8]
    """Codes, one of 16 points per part of a vector: shape (rows, parts), 0 to 15."""

BLOCK_ROWS: Final = 32
"""Rows in a block: larger blocks break FAISS's row-wise calls (1.15.1)."""


def new_index(dimension: int, bits: int) -> faiss.IndexPQFastScan:
    """Return an empty index with the fixed codebook.

    Raises:
        GalleryFault: vectors of this dimension cannot be packed.
    """
    points = centroids(dimension, bits)
    index = faiss.IndexPQFastScan(
        dimension, len(points), 4, faiss.METRIC_INNER_PRODUCT, BLOCK_ROWS
    )
    faiss.copy_array_to_vector(points.ravel(), index.pq.centroids)
    index.is_trained = True
    return index


class Encoder:
    """Encodes vectors. Thread-safe.

    A fixed rotation makes the numbers of any vector look Gaussian, as the codebook expects.
    """

    def __init__(self, dimension: int, bits: int) -> None:
        self._index = new_index(dimension, bits)
        self._rotation = fixed_rotation(dimension)
        self.parts = int(self._index.pq.M)

    def rotated(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors as they are compared with codes."""
        return vectors @ self._rotation

    def encode(self, vectors: NDArray[np.float32]) -> Nibbles:
        """Return the codes of vectors, shape (rows, dimension)."""
        faiss.omp_set_num_threads(1)
        packed = self._index.pq.compute_codes(self.rotated(vectors))
        nibbles = np.empty((len(packed), self.parts), np.uint8)
        nibbles[:, 0::2] = packed & 15
        nibbles[:, 1::2] = packed >> 4
        return nibbles


class Segment:
    """A fixed number of slots for rows; its memory never moves, so it may be written in place.

    A scan beside a write sees the old row, the new one, or neither: the writer logs changed
    rows. ``capacity`` is a multiple of the block.
    """

    def __init__(self, dimension: int, bits: int, capacity: int) -> None:
        self._index = new_index(dimension, bits)
        parts = int(self._index.M2)
        self._index.codes.resize(capacity * parts // 2)
        octets = faiss.rev_swig_ptr(self._index.codes.get(), self._index.codes.size())
        self._blocks = octets.reshape(-1, BLOCK_ROWS * parts // 2)
        use_large_pages(self._blocks)
        self._blocks[:] = 0
        self._count = 0
        self._columns, self._shifts = _addresses(parts)

    @property
    def count(self) -> int:
        """The number of slots that are scanned, from the first one."""
        return self._count

    @property
    def octets(self) -> NDArray[np.uint8]:
        """The blocks in memory, shape (blocks, octets of a block)."""
        return self._blocks

    def show(self, count: int) -> None:
        """Make the first ``count`` slots visible to scans."""
        self._index.ntotal2 = -(-count // BLOCK_ROWS) * BLOCK_ROWS  # type: ignore[attr-defined]
        self._index.ntotal = self._count = count

    def write(self, slots: NDArray[np.int64], codes: Nibbles) -> None:
        """Write codes into slots, each once."""
        # Two rows share an octet: write low and high halves separately.
        high = slots % BLOCK_ROWS > 15
        for half in (~high, high):
            if not half.any():
                continue
            blocks, offsets = np.divmod(slots[half], BLOCK_ROWS)
            where = blocks[:, None], self._columns[offsets]
            shift = self._shifts[offsets][:, None]
            kept = self._blocks[where] & (np.uint8(0xF0) >> shift)
            self._blocks[where] = kept | (codes[half] << shift)

    def fill(self, codes: Nibbles) -> None:
        """Write codes into the first slots of an empty segment."""
        blocks = -(-len(codes) // BLOCK_ROWS)
        whole = np.zeros((blocks * BLOCK_ROWS, codes.shape[1]), np.uint8)
        whole[: len(codes)] = codes
        halves = whole.reshape(blocks, 2, BLOCK_ROWS // 2, -1)
        lanes = np.argsort(self._columns[: BLOCK_ROWS // 2, 0])
        octets = (halves[:, 0] | (halves[:, 1] << 4))[:, lanes]
        self._blocks[:blocks] = octets.transpose(0, 2, 1).reshape(blocks, -1)

    def read(self, slot: int) -> Nibbles:
        """Return the code of one slot, shape (1, parts)."""
        return self.read_many(np.array([slot]))

    def read_many(self, slots: NDArray[np.int64]) -> Nibbles:
        """Return the codes of slots, shape (slots, parts)."""
        blocks, offsets = np.divmod(slots, BLOCK_ROWS)
        octets = self._blocks[blocks[:, None], self._columns[offsets]]
        codes: Nibbles = (octets >> self._shifts[offsets][:, None]) & np.uint8(15)
        return codes

    def scan(
        self, probes: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return estimates and slots of the nearest, shape (probes, at most count); −1: none.

        Estimates of one probe are comparable between segments of one dimension.
        """
        wanted = min(count, self.count)
        if wanted == 0:
            return np.zeros((len(probes), 0), np.float32), np.zeros((len(probes), 0), np.int64)
        estimates, slots = self._index.search(probes, wanted)
        return estimates, slots


def _addresses(parts: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return where a row's codes are inside its block.

    Returns:
        For each offset in a block, the octet of each part, shape (32, parts), and the code's
        shift in bits, shape (32,).
    """
    offsets, part = np.arange(BLOCK_ROWS), np.arange(parts)
    lane = offsets & 15
    octet = np.where(lane < 8, 2 * lane, 2 * (lane - 8) + 1)
    start = (part >> 1) * BLOCK_ROWS + 16 * (part & 1)
    shifts = np.where(offsets > 15, 4, 0).astype(np.uint8)
    return start[None] + octet[:, None], shifts


@cache
def check_addressing(
    dimension: int, bits: int, *, new_segment: Callable[[int, int, int], Segment] = Segment
) -> None:
    """Replace a row at every offset of a block and compare with what FAISS builds.

    Raises:
        GalleryFault: this FAISS packs rows in another way: an erasure would destroy another
        row.
    """
    rng = np.random.default_rng(0)
    before, after = rng.standard_normal((2, 3 * BLOCK_ROWS, dimension)).astype(np.float32)
    encoder = Encoder(dimension, bits)
    segment = new_segment(dimension, bits, len(before))
    segment.write(np.arange(len(before)), encoder.encode(before))
    replaced = before.copy()
    for offset in range(BLOCK_ROWS):
        slot = BLOCK_ROWS + offset
        replaced[slot] = after[slot]
        segment.write(np.array([slot]), encoder.encode(after[slot][None]))
    built = new_index(dimension, bits)
    built.add(encoder.rotated(replaced))
    expected = faiss.vector_to_array(built.codes).reshape(segment.octets.shape)
    read = np.concatenate([segment.read(slot) for slot in range(len(before))])
    if not (
        np.array_equal(segment.octets, expected)
        and np.array_equal(read, encoder.encode(replaced))
    ):
        raise GalleryFault("this release of FAISS packs rows in a way that is not known")
