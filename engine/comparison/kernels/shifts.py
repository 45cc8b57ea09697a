"""Compares the tiles of two codes at every shift.

An 8 × 8 tile is a word a plane, so that LLVM counts several shifts at once. Integers make
results independent of the order of the work. Each tile has a square of 16 × 16 shifts, x before
y; unused entries are gaps, farther than any tile.

Roughness detects the codes of blurred or enlarged pictures: their large patches align easily,
so the false match rate rises.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_NON_MATED_DISTANCE,
    CODE_ROUGHNESS,
    CODE_TILE_CELLS,
    CODE_TILE_MIN_CELLS,
)


@compiled
def roughness_deficit(rows: NDArray[np.uint32]) -> float:  # pragma: no cover - compiled
    """Return how much smoother the rows of a code, shape (4, 32), are than a sharp palm's.

    Returns:
        0 (sharp, or nothing to compare) to ``CODE_ROUGHNESS``.
    """
    bits, pairs = 0, 0
    for row in range(CODE_CELLS):
        for step in range(2 if row + 1 < CODE_CELLS else 1):
            seen = rows[3, row] & _neighbour(rows[3], row, step)
            pairs += int(count_bits(np.uint64(seen)))
            for plane in range(3):
                differing = (rows[plane, row] ^ _neighbour(rows[plane], row, step)) & seen
                bits += int(count_bits(np.uint64(differing)))
    lacking: float = max(CODE_ROUGHNESS - bits / max(CODE_DIRECTIONS // 2 * pairs, 1), 0.0)
    return lacking if pairs > 0 else 0.0


@compiled
def _neighbour(
    plane: NDArray[np.uint32], row: int, step: int
) -> np.uint32:  # pragma: no cover - compiled
    """Return the cells below (``step`` 1) or to the right of those of a row."""
    return np.uint32(plane[row + 1] if step else plane[row] >> np.uint32(1))


@compiled
def count_bits(word: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Count the bits of a word: LLVM makes one instruction of it."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    twos = np.uint64(0x3333333333333333)
    fours = (pairs & twos) + ((pairs >> np.uint64(2)) & twos)
    octets = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (octets * np.uint64(0x0101010101010101)) >> np.uint64(56)


Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]

SHIFTS: Final = 2 * CODE_MAX_SHIFT + 1
"""Shifts in x, and in y: at most 15."""

SIDE: Final = 16

SQUARE: Final = SIDE * SIDE

TILES: Final = (CODE_CELLS // CODE_TILE_CELLS) ** 2

EDGE: Final = SIDE + 1
"""Gaps before and after all squares."""

ONE: Final = 1 << 20
"""Distance 1 as an integer: exact sums keep scores symmetric. 1024 cells fit 32 bits."""

STATES: Final = (CODE_TILE_CELLS**2 + 1) << 8
"""A tile's state at a shift: counted cells × 256 + differing bits."""

GAP: Final = 255
"""State of a gap."""

_PLANES: Final = 4
_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_CORNERS: Final = CODE_CELLS - CODE_TILE_CELLS + SHIFTS

_ROWS: Final = CODE_CELLS - CODE_TILE_CELLS + SIDE

CUT_SHAPE: Final = (_PLANES, _CORNERS, _ROWS)

TILES_SHAPE: Final = (TILES, _PLANES)


def distances_of_states() -> Numbers:
    """Return a tile's distance by its state; the non-mated one for too few cells."""
    cells, bits = np.divmod(np.arange(STATES), 256)
    known = np.minimum(bits / np.maximum(CODE_DIRECTIONS // 2 * cells, 1), 1)
    distances = np.where(cells < CODE_TILE_MIN_CELLS, CODE_NON_MATED_DISTANCE, known)
    distances[GAP] = 1
    return np.asarray(np.rint(ONE * distances), np.int32)


@compiled
def cut_tiles(
    rows: NDArray[np.uint32], scratch: Words, cut: Words
) -> None:  # pragma: no cover - compiled
    """Cut tiles, a word each, out of a code at every place of a tile; 0 beyond its edge.

    ``scratch`` has shape (2, 64), initially 0. ``cut``, shape ``CUT_SHAPE``, is (plane, column,
    row) from the largest shift to the left and up.
    """
    strip, pairs, octet = scratch[0], scratch[1], np.uint64(255)
    for plane in range(_PLANES):
        for row in range(CODE_CELLS):
            strip[CODE_MAX_SHIFT + row] = rows[plane, row]
        for corner in range(_CORNERS):
            left = np.uint64(max(CODE_MAX_SHIFT - corner, 0))
            right = np.uint64(max(corner - CODE_MAX_SHIFT, 0))
            for row in range(_ROWS + CODE_TILE_CELLS - 2):
                upper = ((strip[row] << left) >> right) & octet
                lower = ((strip[row + 1] << left) >> right) & octet
                pairs[row] = upper | (lower << np.uint64(8))
            here = cut[plane, corner]
            for row in range(_ROWS):
                upper = pairs[row] | (pairs[row + 2] << np.uint64(16))
                lower = pairs[row + 4] | (pairs[row + 6] << np.uint64(16))
                here[row] = upper | (lower << np.uint64(32))


@compiled
def take_tiles(cut: Words, tiles: Words) -> None:  # pragma: no cover - compiled
    """Write the unshifted tiles, shape ``TILES_SHAPE``, column by column."""
    for tile in range(TILES):
        column = CODE_MAX_SHIFT + CODE_TILE_CELLS * (tile // _PER_SIDE)
        row = CODE_MAX_SHIFT + CODE_TILE_CELLS * (tile % _PER_SIDE)
        for plane in range(_PLANES):
            tiles[tile, plane] = cut[plane, column, row]


@compiled
def count_differences(
    cut: Words, tiles: Words, states: Numbers
) -> None:  # pragma: no cover - compiled
    """Write each tile's state at every shift of ``cut``."""
    for tile in range(TILES):
        column = CODE_TILE_CELLS * (tile // _PER_SIDE)
        row = CODE_TILE_CELLS * (tile % _PER_SIDE)
        for x in range(SHIFTS):
            low, middle = cut[0, column + x, row:], cut[1, column + x, row:]
            high, seen = cut[2, column + x, row:], cut[3, column + x, row:]
            here = states[tile * SQUARE + x * SIDE :]
            _write_states(low, middle, high, seen, tiles[tile], here)
            here[SHIFTS] = GAP


@compiled
def _write_states(  # pragma: no cover - compiled
    low: Words, middle: Words, high: Words, seen: Words, fixed: Words, states: Numbers
) -> None:
    """Write a tile's states at the shifts of one x, ``SIDE`` at once."""
    first, second, third, shown = fixed[0], fixed[1], fixed[2], fixed[3]
    for y in range(SIDE):
        both = seen[y] & shown
        bits = count_bits((low[y] ^ first) & both) + count_bits((middle[y] ^ second) & both)
        bits += count_bits((high[y] ^ third) & both)
        states[y] = np.int32((count_bits(both) << np.uint64(8)) + bits)


@compiled
def write_distances(
    states: Numbers, table: Numbers, far: Numbers
) -> None:  # pragma: no cover - compiled
    """Write each tile's distance, ``EDGE`` after its state."""
    here = far[EDGE:]
    for n in range(TILES * SQUARE):
        here[n] = table[np.uint32(states[n])]


@compiled
def min_over_neighbours(
    far: Numbers, near: Numbers, step: int
) -> None:  # pragma: no cover - compiled
    """Replace each distance by the least of its shift and both neighbours.

    ``step`` is ``SIDE`` for x, then 1 for y, because x overwrites the gaps at its end.
    """
    size = TILES * SQUARE
    before, here, after = (
        far[EDGE - step :][:size],
        far[EDGE:][:size],
        far[EDGE + step :][:size],
    )
    best = near[EDGE:][:size]
    for n in range(size):
        best[n] = min(before[n], here[n], after[n])
