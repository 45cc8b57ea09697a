"""How the tiles of two codes count_differences at every shift of the one against the other, compiled.

A code is 4 planes of 32 rows of 32 cells. A tile of 8 × 8 cells is two words a plane, of four
rows each: its differing bits at sixteen shifts are counted at once. All numbers are whole: how
the compiler orders the work cannot change one.

Shifts are laid out as a square of 16 × 16 for each tile, x before y: those that there are, and
gaps, which are farther away than any tile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from engine.comparison.kernels.build import compiled
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_NON_MATED_DISTANCE,
    CODE_TILE_CELLS,
    CODE_TILE_MIN_CELLS,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint32]
    Numbers = NDArray[np.int32]

_cgutils: Any = untyped_cgutils

SHIFTS: Final = 2 * CODE_MAX_SHIFT + 1
"""Shifts in x, and in y: at most 15."""

SIDE: Final = 16
"""Of a square of shifts."""

SQUARE: Final = SIDE * SIDE

TILES: Final = (CODE_CELLS // CODE_TILE_CELLS) ** 2

EDGE: Final = SIDE + 1
"""Numbers before the first square, and behind the last: gaps, too."""

ONE: Final = 1 << 20
"""Distance 1 in the whole numbers that are computed with: sums do not depend on their order,
so a comparison is symmetric to the last bit, alone or among many. 1024 cells fit 32 bits."""

STATES: Final = (CODE_TILE_CELLS**2 + 1) << 8
"""A tile's state at a shift: how many of its cells count × 256 + how many bits count_differences."""

GAP: Final = 255
"""The state where there is no shift: more bits than there are, of no cell."""

_PLANES: Final = 4
_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_CORNERS: Final = CODE_CELLS - CODE_TILE_CELLS + SHIFTS
"""Columns in which the left edge of a tile may lie."""

_HALF: Final = CODE_TILE_CELLS // 2
"""Rows in one word."""

_COUNTING: Final = f"llvm.ctpop.v{SIDE}i32"

_ROWS: Final = 48
"""Rows in which the upper edge of a half may lie, and some more: whole vectors."""


def distances_of_states() -> Numbers:
    """Return how far a tile is by its state, 0 to ``ONE``; shape (``STATES``,).

    Tiles of hardly any cell say nothing: they are as far as those of strangers.
    """
    cells, bits = np.divmod(np.arange(STATES), 256)
    known = np.minimum(bits / np.maximum(CODE_DIRECTIONS // 2 * cells, 1), 1)
    distances = np.where(cells < CODE_TILE_MIN_CELLS, CODE_NON_MATED_DISTANCE, known)
    distances[GAP] = 1
    return np.asarray(np.rint(ONE * distances), np.int32)


def _emit_states(_context: object, _halves: object, _tile: object, _states: object) -> object:
    """Emit a tile's states at the shifts of one x, from half tiles of sixteen rows on."""
    lanes = ir.VectorType(ir.IntType(32), SIDE)

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        halves, tile, states = args
        counting = ir.FunctionType(lanes, [lanes])
        count = _cgutils.get_or_insert_function(builder.module, counting, _COUNTING)
        total = lanes(None)
        for half in range(2):
            moved = _load_shifted(builder, halves, half, lanes)
            fixed = _load_fixed(builder, tile, half, lanes)
            both = builder.and_(moved[-1], fixed[-1])
            cells = builder.call(count, [both])
            total = builder.add(total, builder.shl(cells, lanes([8] * SIDE)))
            for one, other in zip(moved[:-1], fixed[:-1], strict=True):
                differing = builder.and_(builder.xor(one, other), both)
                total = builder.add(total, builder.call(count, [differing]))
        there = ir.VectorType(ir.IntType(1), SIDE)([n < SHIFTS for n in range(SIDE)])
        total = builder.select(there, total, lanes([GAP] * SIDE))
        builder.store(total, builder.inttoptr(states, lanes.as_pointer()), align=4)
        return None

    word = types.uint64
    return types.void(word, word, word), emit


def _load_shifted(builder: Any, halves: Any, half: int, lanes: Any) -> list[Any]:  # noqa: ANN401 - LLVM
    """Emit the loads of sixteen halves of each plane, of consecutive rows."""
    size, loaded = ir.IntType(64), []
    for plane in range(_PLANES):
        offset = 4 * (plane * _CORNERS * _ROWS + half * _HALF)
        where = builder.inttoptr(builder.add(halves, size(offset)), lanes.as_pointer())
        loaded.append(builder.load(where, align=4))
    return loaded


def _load_fixed(builder: Any, tile: Any, half: int, lanes: Any) -> list[Any]:  # noqa: ANN401 - LLVM
    """Emit the loads of one half of each plane, sixteen times the same."""
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
    """Return what ``cut_half_tiles`` writes to: four rows of eight cells in a word, where they may lie."""
    return np.zeros((_PLANES, _CORNERS, _ROWS), np.uint32)


@compiled
def new_tiles() -> Words:  # pragma: no cover - compiled
    """Return what ``take_tiles`` writes to."""
    return np.empty((TILES, 2 * _PLANES), np.uint32)


@compiled
def cut_half_tiles(
    rows: Words, scratch: Words, halves: Words
) -> None:  # pragma: no cover - compiled
    """Cut half tiles out of a code, at every place where a tile may lie.

    Args:
        rows: shape (4, 32), column 0 in the lowest bit.
        scratch: shape (2, 64), the first line 0 where no row is written.
        halves: written; the half at (plane, column, row) has its corner so many cells right of
            and below the largest shift to the left and up; 0 beyond the code's edge.
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
    """Take the tiles of a code that is not shifted.

    Args:
        halves: as ``cut_half_tiles`` writes them.
        tiles: written, shape (tiles, planes × 2); tiles column by column.
    """
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
    """Count how each tile of one code differs from what the other has there, at every shift.

    Args:
        halves: of the code that is shifted, as ``cut_half_tiles`` writes them.
        tiles: of the other, as ``take_tiles`` writes them.
        states: written where there is a shift in x, shape (tiles × square,).
    """
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
    """Write how far each tile is at each shift, an edge's length further on than its state."""
    here = far[EDGE:]
    for n in range(TILES * SQUARE):
        here[n] = table[np.uint32(states[n])]


@compiled
def min_over_neighbours(
    far: Numbers, near: Numbers, step: int
) -> None:  # pragma: no cover - compiled
    """Let each tile take the best of its shift, the one before and the one after.

    Args:
        far: shape (tiles × square + 2 × edge,); ``ONE`` in gaps.
        near: written, but for its edges, same shape.
        step: from one shift to the next: 1 in y, ``SIDE`` in x; x first, since gaps at the end
            of x do not stay any.
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
