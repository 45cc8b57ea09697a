"""Packed rows in the block layout of FAISS, addressed by ourselves.

Product quantisation for fast scanning (André, Kermarrec and Le Scouarnec 2015) interleaves the
codes of 32 rows, so that one instruction looks up 32. FAISS cannot reliably change one row:
with larger blocks it overwrites another. So we write rows ourselves, and ``check_addressing``
compares the result with FAISS's.

The codebook is fixed, not trained, so codes are equal on every machine: sixteen points for
pairs and for quadruples of independent standard Gaussian numbers with least squared error:
0.109 and 0.341 of the variance is lost. Found by Lloyd's algorithm on half a million samples.
The numbers of a randomly rotated unit vector have deviation 1/√dimension, so the points are
divided by √dimension.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray

from engine.errors import GalleryFault
from engine.gallery.protection import fixed_rotation
from engine.gallery.rows import use_large_pages

_TWO: Final = (
    (-1.9763, 0.0630),
    (-1.3874, -1.3692),
    (-1.3113, 1.5147),
    (-0.9231, 0.4642),
    (-0.9169, -0.3685),
    (-0.2817, 1.0005),
    (-0.2676, -0.8987),
    (-0.0263, 0.0372),
    (-0.0017, -1.9157),
    (0.2256, 1.9868),
    (0.5435, 0.8488),
    (0.5993, -0.7403),
    (0.9183, 0.0889),
    (1.3076, -1.4939),
    (1.5894, 1.1383),
    (1.8751, -0.2763),
)
_FOUR: Final = (
    (-1.3985, -0.3575, -0.8995, -0.0952),
    (-1.2109, 1.0726, 0.2589, 0.4399),
    (-0.9140, 0.2807, 0.6301, -1.2630),
    (-0.8954, -1.2225, 0.7672, -0.0119),
    (-0.5935, -0.3767, 0.0617, 1.5675),
    (-0.1630, 1.2611, -0.9555, -0.6477),
    (-0.1354, 0.2607, 1.6392, 0.4105),
    (-0.0053, -0.0063, 0.0042, 0.0081),
    (0.0108, -0.5297, -0.8416, -1.3640),
    (0.1345, 0.1726, -1.4524, 0.8415),
    (0.3220, -1.5110, -0.6958, 0.2511),
    (0.6434, 1.2077, 0.0620, 1.0070),
    (0.7707, -0.8420, 0.8522, -0.9419),
    (0.7827, 1.0738, 0.7143, -0.7702),
    (1.1816, -0.5662, 0.5845, 0.9194),
    (1.5016, 0.0984, -0.7286, -0.3215),
)
POINTS: Final[Mapping[int, tuple[tuple[float, ...], ...]]] = MappingProxyType(
    {2: _TWO, 1: _FOUR}
)
"""The points, by bits per dimension."""


def centroids(dimension: int, bits: int) -> NDArray[np.float32]:
    """Return the points of every part of a vector, shape (parts, 16, 4 / bits), float32.

    Raises:
        GalleryFault: ``bits`` is not 1 or 2, or the vectors do not split into an even number of
            parts, at most 256, so that sums fit 16 bits.
    """
    if bits not in POINTS:
        raise GalleryFault("a packed row has one or two bits for each dimension")
    points = np.array(POINTS[bits], np.float32)
    parts, rest = divmod(dimension, points.shape[1])
    if rest or parts % 2 or not 0 < parts <= 256:
        raise GalleryFault("vectors of this dimension cannot be packed")
    return np.repeat(points[None] / np.float32(dimension**0.5), parts, axis=0)


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
        self._count = self._cleared = 0
        self._columns, self._shifts = _addresses(parts)

    @property
    def count(self) -> int:
        """The number of slots that are scanned, from the first one."""
        return self._count

    @property
    def octets(self) -> NDArray[np.uint8]:
        """The blocks in use, shape (blocks, octets of a block)."""
        return self._blocks[: self._cleared]

    def show(self, count: int) -> None:
        """Make the first ``count`` slots visible to scans."""
        self._index.ntotal2 = -(-count // BLOCK_ROWS) * BLOCK_ROWS  # type: ignore[attr-defined]
        self._index.ntotal = self._count = count

    def write(self, slots: NDArray[np.int64], codes: Nibbles) -> None:
        """Write codes into slots, each once."""
        self._clear(int(slots.max(initial=-1)) // BLOCK_ROWS + 1)
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
        self._cleared = blocks

    def _clear(self, blocks: int) -> None:
        """Clear the first blocks, once: memory is taken as it is used, and FAISS leaves it."""
        self._blocks[self._cleared : blocks] = 0
        self._cleared = max(self._cleared, blocks)

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
