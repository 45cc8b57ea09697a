"""Compares the tiles of two codes at every shift.

An 8 × 8 tile is two words a plane; sixteen shifts are counted at once. Integers make results
independent of the order of the work. Each tile has a square of 16 × 16 shifts, x before y;
unused entries are gaps, farther than any tile.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from engine.comparison.kernels.build import compiled
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_NON_MATED_DISTANCE,
    CODE_TILE_CELLS,
    CODE_TILE_MIN_CELLS,
)

Words = NDArray[np.uint32]
Numbers = NDArray[np.int32]

_cgutils: Any = untyped_cgutils

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

_HALF: Final = CODE_TILE_CELLS // 2
"""Rows in one word."""

_COUNTING: Final = f"llvm.ctpop.v{4 * SIDE}i8"

_ROWS: Final = 48


def distances_of_states() -> Numbers:
    """Return a tile's distance by its state; the non-mated one for too few cells."""
    cells, bits = np.divmod(np.arange(STATES), 256)
    known = np.minimum(bits / np.maximum(CODE_DIRECTIONS // 2 * cells, 1), 1)
    distances = np.where(cells < CODE_TILE_MIN_CELLS, CODE_NON_MATED_DISTANCE, known)
    distances[GAP] = 1
    return np.asarray(np.rint(ONE * distances), np.int32)


def _emit_states(_context: object, _halves: object, _tile: object, _states: object) -> object:
    """Emit LLVM code for a tile's states at the shifts of one x."""
    lanes, octets = ir.VectorType(ir.IntType(32), SIDE), ir.VectorType(ir.IntType(8), 4 * SIDE)

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        halves, tile, states = args
        cells, differing = octets(None), octets(None)
        for half in range(2):
            moved = _load_shifted(builder, halves, half, lanes)
            fixed = _load_fixed(builder, tile, half, lanes)
            both = builder.and_(moved[-1], fixed[-1])
            cells = builder.add(cells, _counted(builder, both, octets))
            for one, other in zip(moved[:-1], fixed[:-1], strict=True):
                apart = builder.and_(builder.xor(one, other), both)
                differing = builder.add(differing, _counted(builder, apart, octets))
        shown = builder.shl(_added_up(builder, cells, lanes), lanes([8] * SIDE))
        total = builder.add(shown, _added_up(builder, differing, lanes))
        there = ir.VectorType(ir.IntType(1), SIDE)([n < SHIFTS for n in range(SIDE)])
        total = builder.select(there, total, lanes([GAP] * SIDE))
        builder.store(total, builder.inttoptr(states, lanes.as_pointer()), align=4)
        return None

    word = types.uint64
    return types.void(word, word, word), emit


def _counted(builder: Any, words: Any, octets: Any) -> Any:  # noqa: ANN401 - LLVM
    """Count the bits of each octet: without AVX-512 faster than those of each word."""
    counting = ir.FunctionType(octets, [octets])
    count = _cgutils.get_or_insert_function(builder.module, counting, _COUNTING)
    return builder.call(count, [builder.bitcast(words, octets)])


def _added_up(builder: Any, octets: Any, lanes: Any) -> Any:  # noqa: ANN401 - LLVM
    """Add the four octets of each word, together less than 256."""
    sums = builder.mul(builder.bitcast(octets, lanes), lanes([0x01010101] * SIDE))
    return builder.lshr(sums, lanes([24] * SIDE))


def _load_shifted(builder: Any, halves: Any, half: int, lanes: Any) -> list[Any]:  # noqa: ANN401 - LLVM
    """Load sixteen consecutive half tiles of each plane."""
    size, loaded = ir.IntType(64), []
    for plane in range(_PLANES):
        offset = 4 * (plane * _CORNERS * _ROWS + half * _HALF)
        where = builder.inttoptr(builder.add(halves, size(offset)), lanes.as_pointer())
        loaded.append(builder.load(where, align=4))
    return loaded


def _load_fixed(builder: Any, tile: Any, half: int, lanes: Any) -> list[Any]:  # noqa: ANN401 - LLVM
    """Load one half tile of each plane, repeated sixteen times."""
    number, size, loaded = ir.IntType(32), ir.IntType(64), []
    for plane in range(_PLANES):
        where = builder.add(tile, size(4 * (2 * plane + half)))
        value = builder.load(builder.inttoptr(where, number.as_pointer()), align=4)
        one = builder.insert_element(lanes(None), value, number(0))
        alike = ir.Constant(ir.VectorType(number, SIDE), None)
        loaded.append(builder.shuffle_vector(one, one, alike))
    return loaded


_write_states: Any = intrinsic(_emit_states)


@compiled
def new_half_tiles() -> Words:  # pragma: no cover - compiled
    """Allocate the output of ``cut_half_tiles``: four rows of eight cells a word."""
    return np.zeros((_PLANES, _CORNERS, _ROWS), np.uint32)


@compiled
def new_tiles() -> Words:  # pragma: no cover - compiled
    """Allocate the output of ``take_tiles``."""
    return np.empty((TILES, 2 * _PLANES), np.uint32)


@compiled
def cut_half_tiles(
    rows: Words, scratch: Words, halves: Words
) -> None:  # pragma: no cover - compiled
    """Cut half tiles out of a code at every place of a tile; 0 beyond its edge.

    ``scratch`` has shape (2, 64), initially 0. ``halves`` is (plane, column, row) from the
    largest shift to the left and up.
    """
    strip, pairs, octet = scratch[0], scratch[1], np.uint32(255)
    for plane in range(_PLANES):
        for row in range(CODE_CELLS):
            strip[CODE_MAX_SHIFT + row] = rows[plane, row]
        for corner in range(_CORNERS):
            left = np.uint32(max(CODE_MAX_SHIFT - corner, 0))
            right = np.uint32(max(corner - CODE_MAX_SHIFT, 0))
            for row in range(_ROWS):
                upper = ((strip[row] << left) >> right) & octet
                lower = ((strip[row + 1] << left) >> right) & octet
                pairs[row] = upper | (lower << np.uint32(8))
            here = halves[plane, corner]
            for row in range(_ROWS):
                here[row] = pairs[row] | (pairs[row + 2] << np.uint32(16))


@compiled
def take_tiles(halves: Words, tiles: Words) -> None:  # pragma: no cover - compiled
    """Write the unshifted tiles, shape (tiles, planes × 2), column by column."""
    for tile in range(TILES):
        column = CODE_MAX_SHIFT + CODE_TILE_CELLS * (tile // _PER_SIDE)
        row = CODE_MAX_SHIFT + CODE_TILE_CELLS * (tile % _PER_SIDE)
        for plane in range(_PLANES):
            for half in range(2):
                tiles[tile, 2 * plane + half] = halves[plane, column, row + _HALF * half]


@compiled
def count_differences(
    halves: Words, tiles: Words, states: Numbers
) -> None:  # pragma: no cover - compiled
    """Write each tile's state at every shift of ``halves``."""
    for tile in range(TILES):
        column = CODE_TILE_CELLS * (tile // _PER_SIDE)
        row = CODE_TILE_CELLS * (tile % _PER_SIDE)
        fixed = np.uint64(tiles[tile:].ctypes.data)
        for x in range(SHIFTS):
            moved = np.uint64(halves[0, column + x, row:].ctypes.data)
            here = states[tile * SQUARE + x * SIDE :]
            _write_states(moved, fixed, np.uint64(here.ctypes.data))


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
