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

from engine.parameters import CODE_CELLS, CODE_MAX_SHIFT, CODE_TILE_CELLS, CODE_TILE_SLACK

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
def _shift(  # noqa: C901 # pragma: no cover - one compiled loop
    rows: NDArray[np.uint32], octets: NDArray[np.uint8], moved: Words
) -> None:
    """Move a code by every shift and cut it into tiles.

    Args:
        rows: shape (4, 32), column 0 in the lowest bit.
        octets: scratch, shape (tiles in x, 32 + 2 × 4); zero beyond the code's edges.
        moved: written, shape (4, shifts in x, shifts in y, tiles): at shift (x, y), a cell
            (column, row) is the code's cell (column + x, row + y), or 0 beyond its edge.
    """
    planes, across, along, _ = moved.shape
    sides, words = len(octets), octets.view(np.uint64)
    for plane in range(planes):
        for x in range(across):
            for side in range(sides):
                for row in range(rows.shape[1]):
                    wide = np.uint64(rows[plane, row]) << np.uint64(CODE_MAX_SHIFT)
                    here = np.uint32(wide >> np.uint64(x))
                    octets[side, row + CODE_MAX_SHIFT] = here >> np.uint32(8 * side)
            for side in range(sides):
                for tile in range(sides):
                    for y in range(along):
                        word, bits = tile + (y >> 3), np.uint64(8 * (y & 7))
                        value = words[side, word] >> bits
                        if bits:
                            value |= words[side, word + 1] << (np.uint64(64) - bits)
                        moved[plane, x, y, side * sides + tile] = value


@_compiled
def _count(  # pragma: no cover - compiled
    moved: Words, fixed: Words, quotients: Numbers, far: Numbers, cells: Numbers
) -> None:
    """Count the cells of each tile at each shift, and how far it is.

    Args:
        moved: as ``_shift`` writes it.
        fixed: shape (4, tiles).
        quotients: distance of a tile by its cells and differing bits.
        far: written, shape (shifts in x, shifts in y, tiles).
        cells: written, same shape.
    """
    across, along, tiles = far.shape
    for x in range(across):
        for y in range(along):
            for tile in range(tiles):
                seen = moved[3, x, y, tile] & fixed[3, tile]
                bits = _population_count((moved[0, x, y, tile] ^ fixed[0, tile]) & seen)
                bits += _population_count((moved[1, x, y, tile] ^ fixed[1, tile]) & seen)
                bits += _population_count((moved[2, x, y, tile] ^ fixed[2, tile]) & seen)
                count = _population_count(seen)
                cells[x, y, tile] = count
                far[x, y, tile] = quotients[count, bits]


@_compiled
def _relax(  # noqa: C901 # pragma: no cover - one compiled loop
    far: Numbers, near: Numbers, cells: Numbers, sums: Numbers
) -> None:
    """Let each tile take the best of the shifts next to the common one, and add tiles up.

    Args:
        far: shape (shifts in x, shifts in y, tiles).
        near: scratch, same shape.
        cells: same shape.
        sums: written, shape (2, shifts in x, shifts in y): distances times cells, and cells.
    """
    across, along, tiles = far.shape
    for x in range(across):
        first, last = max(x - CODE_TILE_SLACK, 0), min(x + CODE_TILE_SLACK + 1, across)
        near[x] = far[first]
        for step in range(first + 1, last):
            for y in range(along):
                for tile in range(tiles):
                    near[x, y, tile] = min(near[x, y, tile], far[step, y, tile])
    for x in range(across):
        for y in range(along):
            first, last = max(y - CODE_TILE_SLACK, 0), min(y + CODE_TILE_SLACK + 1, along)
            distance, total = np.int32(0), np.int32(0)
            for tile in range(tiles):
                least = near[x, first, tile]
                for step in range(first + 1, last):
                    least = min(least, near[x, step, tile])
                distance += least * cells[x, y, tile]
                total += cells[x, y, tile]
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
    shape = (_PLANES, _SHIFTS, _SHIFTS, _SIDE * _SIDE)
    ours, theirs = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    octets = np.zeros((_SIDE, CODE_CELLS + 2 * CODE_MAX_SHIFT), np.uint8)
    work = np.empty((3, _SHIFTS, _SHIFTS, _SIDE * _SIDE), np.int32)
    far, near, cells = work[0], work[1], work[2]
    sums = np.empty((2, len(references), 2, _SHIFTS, _SHIFTS), np.int32)
    still = CODE_MAX_SHIFT
    _shift(probe, octets, ours)
    for number in range(len(references)):
        _shift(references[number], octets, theirs)
        _count(ours, theirs[:, still, still], quotients, far, cells)
        _relax(far, near, cells, sums[0, number])
        _count(theirs, ours[:, still, still], quotients, far, cells)
        _relax(far, near, cells, sums[1, number])
    return sums
