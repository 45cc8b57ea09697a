"""The innermost loop of a comparison, compiled: distances of tiles at every shift.

A code is 4 planes of 32 rows of 32 cells. Tiles of 8 × 8 cells are one machine word each, so
a tile costs four population counts. Everything is whole numbers: how the compiler orders the
work cannot change a sum. The interpreter's lock is free meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_TILE_CELLS,
    CODE_TILE_SLACK,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Numbers = NDArray[np.int32]

_Function = TypeVar("_Function", bound="Callable[..., Any]")

_SHIFTS: Final = 2 * CODE_MAX_SHIFT + 1
"""Shifts in x, and in y."""

_PLANES: Final = 4
_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
"""Tiles in x, and in y."""

_TILES: Final = _SIDE * _SIDE

_OCTETS: Final = CODE_CELLS + 16
"""Of a column of tiles: its rows, those beyond its edges, and the word behind the last."""

_MOST_BITS: Final = CODE_DIRECTIONS // 2 * CODE_TILE_CELLS**2
"""Bits in which two tiles differ at most."""


def _compiled(function: _Function) -> _Function:
    """Compile a function; kept for the next process where there is a place to keep it."""
    try:
        return cast("_Function", njit(nogil=True, cache=True)(function))
    except RuntimeError:
        return cast("_Function", njit(nogil=True)(function))


def _emit_count(_context: object, word: object) -> object:
    """Emit the one instruction that counts the bits of a word that are set."""
    return types.uint64(types.uint64), lambda _c, builder, _s, args: builder.ctpop(args[0])


_population_count: Any = intrinsic(_emit_count)


@_compiled
def _shift(  # pragma: no cover - compiled
    rows: NDArray[np.uint32], octets: NDArray[np.uint8], moved: Words
) -> None:
    """Move a code by every shift and cut it into tiles.

    Args:
        rows: shape (4, 32), column 0 in the lowest bit.
        octets: scratch, shape (tiles in x, 48): whole words, zero beyond the code's edges.
        moved: written, shape (4, shifts in x, shifts in y, tiles): at shift (x, y), a cell
            (column, row) is the code's cell (column + x, row + y), or 0 beyond its edge.
    """
    words = octets.view(np.uint64)
    for plane in range(_PLANES):
        for x in range(_SHIFTS):
            for side in range(_SIDE):
                for row in range(rows.shape[1]):
                    wide = np.uint64(rows[plane, row]) << np.uint64(CODE_MAX_SHIFT)
                    here = np.uint32(wide >> np.uint64(x))
                    octets[side, row + CODE_MAX_SHIFT] = here >> np.uint32(8 * side)
            for y in range(_SHIFTS):
                first, bits = y >> 3, np.uint64(8 * (y & 7))
                rest, here = np.uint64(63) - bits, moved[plane, x, y]
                for side in range(_SIDE):
                    for tile in range(_SIDE):
                        low, high = words[side, first + tile], words[side, first + tile + 1]
                        value = (low >> bits) | ((high << np.uint64(1)) << rest)
                        here[side * _SIDE + tile] = value


@_compiled
def _count(  # pragma: no cover - compiled
    moved: Words, fixed: Words, quotients: Numbers, far: Numbers, cells: Numbers
) -> None:
    """Count the cells of each tile at each shift, and how far it is.

    The compiler knows all bounds, so it counts several tiles at once.

    Args:
        moved: as ``_shift`` writes it.
        fixed: shape (4, tiles).
        quotients: distance of a tile by its cells and differing bits, shape (65 × 193,).
        far: written, shape (shifts in x, shifts in y × tiles).
        cells: written, same shape.
    """
    first, second, third, skin = fixed[0], fixed[1], fixed[2], fixed[3]
    for x in range(_SHIFTS):
        for y in range(_SHIFTS):
            one, two, three, seen = (
                moved[0, x, y],
                moved[1, x, y],
                moved[2, x, y],
                moved[3, x, y],
            )
            counts, here = cells[x, y], far[x, y]
            for tile in range(_TILES):
                both = seen[tile] & skin[tile]
                bits = _population_count((one[tile] ^ first[tile]) & both)
                bits += _population_count((two[tile] ^ second[tile]) & both)
                bits += _population_count((three[tile] ^ third[tile]) & both)
                count = _population_count(both)
                counts[tile] = count
                here[tile] = bits + count * np.uint64(_MOST_BITS + 1)
            for tile in range(_TILES):
                here[tile] = quotients[np.uint32(here[tile])]


@_compiled
def _relax_across(far: Numbers, near: Numbers) -> None:  # pragma: no cover - compiled
    """Let each tile take the best of the shifts next to the common one in x.

    Where there is no next shift, the last one stands for it.

    Args:
        far: shape (shifts in x, shifts in y × tiles).
        near: written, same shape.
    """
    for x in range(_SHIFTS):
        for n in range(_SHIFTS * _TILES):
            near[x, n] = far[x, n]
        for step in range(1, CODE_TILE_SLACK + 1):
            before, after = max(x - step, 0), min(x + step, _SHIFTS - 1)
            for n in range(_SHIFTS * _TILES):
                near[x, n] = min(near[x, n], far[before, n], far[after, n])


@_compiled
def _relax_along(far: Numbers, near: Numbers) -> None:  # pragma: no cover - compiled
    """Do the same in y.

    Args:
        far: shape (shifts in x, shifts in y × tiles).
        near: written, same shape.
    """
    width = _SHIFTS * _TILES
    for x in range(_SHIFTS):
        for n in range(width):
            near[x, n] = far[x, n]
        for step in range(_TILES, (CODE_TILE_SLACK + 1) * _TILES, _TILES):
            for n in range(width - step):
                near[x, n] = min(near[x, n], far[x, n + step])
            for n in range(step, width):
                near[x, n] = min(near[x, n], far[x, n - step])


@_compiled
def _add_up(  # pragma: no cover - compiled
    near: Numbers, cells: Numbers, sums: NDArray[np.int32]
) -> None:
    """Add the tiles of each shift up.

    Args:
        near: shape (shifts in x, shifts in y × tiles).
        cells: same shape.
        sums: written, shape (2, shifts in x, shifts in y): distances times cells, and cells.
    """
    for x in range(_SHIFTS):
        for y in range(_SHIFTS):
            distance, total = np.int32(0), np.int32(0)
            for n in range(y * _TILES, (y + 1) * _TILES):
                distance += near[x, n] * cells[x, n]
                total += cells[x, n]
            sums[0, x, y], sums[1, x, y] = distance, total


@_compiled
def lay_over_each_other(  # pragma: no cover - compiled
    probe: NDArray[np.uint32], references: NDArray[np.uint32], quotients: Numbers
) -> Numbers:
    """Lay a code over each of others, and each of them over it.

    Args:
        probe: rows, shape (4, 32).
        references: rows, shape (count, 4, 32).
        quotients: distance of a tile by how many of its cells count and how many bits differ,
            shape (65, 193).

    Returns:
        Shape (2, count, 2, shifts in x, shifts in y): which is moved, the probe or the
        reference; of each shift the sum of distances, each times its cells, and the cells.
    """
    shape = (_PLANES, _SHIFTS, _SHIFTS, _TILES)
    ours, theirs = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    octets = np.zeros((_SIDE, _OCTETS), np.uint8)
    work = np.empty((3, _SHIFTS, _SHIFTS * _TILES), np.int32)
    flat_far, near, flat_cells = work[0], work[1], work[2]
    far = flat_far.reshape(_SHIFTS, _SHIFTS, _TILES)
    cells = flat_cells.reshape(_SHIFTS, _SHIFTS, _TILES)
    sums = np.empty((2, len(references), 2, _SHIFTS, _SHIFTS), np.int32)
    still = CODE_MAX_SHIFT
    flat = quotients.ravel()
    fixed = np.empty((2, _PLANES, _TILES), np.uint64)
    _shift(probe, octets, ours)
    fixed[0] = ours[:, still, still]
    for number in range(len(references)):
        _shift(references[number], octets, theirs)
        fixed[1] = theirs[:, still, still]
        _count(ours, fixed[1], flat, far, cells)
        _relax_across(flat_far, near)
        _relax_along(near, flat_far)
        _add_up(flat_far, flat_cells, sums[0, number])
        _count(theirs, fixed[0], flat, far, cells)
        _relax_across(flat_far, near)
        _relax_along(near, flat_far)
        _add_up(flat_far, flat_cells, sums[1, number])
    return sums
