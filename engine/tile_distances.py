"""The innermost loop of a comparison, compiled: distances of tiles at every shift and pose.

A code is 4 planes of 32 rows of 32 cells. Tiles of 8 × 8 cells are one machine word each, so
a tile costs four population counts. A pose, that is a turn and a zoom, moves tiles whole:
their distances at every shift are counted once, and added up anew for each pose. All sums are
of whole numbers: how the compiler orders the work cannot change one. The interpreter's lock is
free meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numba import types
from numba.extending import intrinsic

from engine.compiled import compiled
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_TILE_CELLS,
    CODE_TILE_SLACK,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Numbers = NDArray[np.int32]

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


def _emit_count(_context: object, word: object) -> object:
    """Emit the one instruction that counts the bits of a word that are set."""
    return types.uint64(types.uint64), lambda _c, builder, _s, args: builder.ctpop(args[0])


_population_count: Any = intrinsic(_emit_count)


@compiled
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


@compiled
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


@compiled
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


@compiled
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


@compiled
def _set_out(  # pragma: no cover - compiled
    near: Numbers, cells: Numbers, far_planes: Numbers, cell_planes: Numbers, margin: int
) -> None:
    """Sort distances and cells by tile, for each a plane of shifts with an empty margin.

    Args:
        near: shape (shifts in x, shifts in y × tiles).
        cells: same shape.
        far_planes: written, shape (tiles, at least width²), distances times cells; a row of a
            plane is ``width`` = shifts + 2 × margin long.
        cell_planes: written, same shape.
        margin: shifts on either side of those that are known; stays 0.
    """
    width = _SHIFTS + 2 * margin
    for tile in range(_TILES):
        far, count = far_planes[tile], cell_planes[tile]
        for x in range(_SHIFTS):
            start = (x + margin) * width + margin
            for y in range(_SHIFTS):
                n = y * _TILES + tile
                far[start + y] = near[x, n] * cells[x, n]
                count[start + y] = cells[x, n]


@compiled
def _add_up(  # pragma: no cover - compiled
    planes: Numbers, offsets: NDArray[np.int64], first: int, sums: Numbers
) -> None:
    """Add the planes of all tiles up, each read from where a pose puts it.

    Four at a time: the compiler then keeps the sum of sixteen shifts in one register.

    Args:
        planes: shape (tiles, …), as ``_set_out`` writes them.
        offsets: of each tile in its plane, shape (tiles,).
        first: place in a plane of the first shift.
        sums: written, one for each place from the first shift to the last.
    """
    size = len(sums)
    sums[:] = 0
    for tile in range(0, _TILES, 4):
        at = first + offsets[tile : tile + 4]
        one, two = planes[tile, at[0] :][:size], planes[tile + 1, at[1] :][:size]
        three, four = planes[tile + 2, at[2] :][:size], planes[tile + 3, at[3] :][:size]
        for n in range(size):
            sums[n] += one[n] + two[n] + three[n] + four[n]


@compiled
def _judge(  # pragma: no cover - compiled
    far: Numbers, cells: Numbers, worth: NDArray[np.float64], distances: NDArray[np.float64]
) -> int:
    """Work the distances of a pose out.

    Args:
        far: distances times cells, one for each place from the first shift to the last.
        cells: the cells, likewise.
        worth: shape (2, 1025), by how many cells count: the distance is the first number plus
            the second times ``far``.
        distances: written, one for each place.

    Returns:
        The least, among places beyond the last shift, too: not more than that of any shift.
    """
    for n in range(len(distances)):
        distances[n] = worth[0, cells[n]] + worth[1, cells[n]] * far[n]
    # Numbers that are not negative sort like the whole numbers of the same bits, and the
    # compiler finds the least of many of those at once.
    order: NDArray[np.int64] = distances.view(np.int64)
    least: int = order[0]
    for n in range(1, len(order)):
        least = min(least, order[n])
    return least


@compiled
def _best(  # pragma: no cover - compiled
    planes: Numbers,
    offsets: NDArray[np.int64],
    worth: NDArray[np.float64],
    margin: int,
    sums: Numbers,
    distances: NDArray[np.float64],
) -> tuple[float, int]:
    """Return the least distance of all poses and shifts, and which has it, poses first.

    Args:
        planes: of distances times cells, and of cells, as ``_set_out`` writes them.
        offsets: of each tile in its plane, shape (poses, tiles).
        worth: as ``_judge`` takes it.
        margin: as ``_set_out`` takes it.
        sums: scratch, shape (2, places from the first shift to the last).
        distances: scratch, one for each place.
    """
    width = _SHIFTS + 2 * margin
    first = margin * width + margin
    kept, best = np.full(1, np.inf), 0
    bits_of_least = kept.view(np.int64)
    for pose in range(len(offsets)):
        _add_up(planes[0], offsets[pose], first, sums[0])
        _add_up(planes[1], offsets[pose], first, sums[1])
        if _judge(sums[0], sums[1], worth, distances) >= bits_of_least[0]:
            continue
        for x in range(_SHIFTS):
            for y in range(_SHIFTS):
                if distances[x * width + y] < kept[0]:
                    kept[0] = distances[x * width + y]
                    best = (pose * _SHIFTS + x) * _SHIFTS + y
    return kept[0], best


@compiled
def lay_over_each_other(  # pragma: no cover - compiled
    probe: NDArray[np.uint32],
    references: NDArray[np.uint32],
    quotients: Numbers,
    worth: NDArray[np.float64],
    poses: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Lay a code over each of others, and each of them over it, in every pose.

    Args:
        probe: rows, shape (4, 32).
        references: rows, shape (count, 4, 32).
        quotients: distance of a tile by how many of its cells count and how many bits differ,
            shape (65, 193).
        worth: shape (2, 1025), by how many cells count: what a distance is made of, as
            ``_judge`` takes it.
        poses: how many cells a tile lies further than the shift, shape (poses, tiles, 2).

    Returns:
        The least distances, shape (2, count): the probe moved, or the reference; and where they
        were found, same shape: number of the pose × shifts² + number of the shift.
    """
    shape = (_PLANES, _SHIFTS, _SHIFTS, _TILES)
    ours, theirs = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
    octets = np.zeros((_SIDE, _OCTETS), np.uint8)
    work = np.empty((3, _SHIFTS, _SHIFTS * _TILES), np.int32)
    flat_far, near, flat_cells = work[0], work[1], work[2]
    far = flat_far.reshape(_SHIFTS, _SHIFTS, _TILES)
    cells = flat_cells.reshape(_SHIFTS, _SHIFTS, _TILES)
    margin = int(np.abs(poses).max())
    width = _SHIFTS + 2 * margin
    offsets = poses[:, :, 0] * width + poses[:, :, 1]
    planes = np.zeros((2, _TILES, width * width), np.int32)
    sums = np.empty((2, (_SHIFTS - 1) * width + _SHIFTS), np.int32)
    at_places = np.empty(sums.shape[1], np.float64)
    distances = np.empty((2, len(references)), np.float64)
    places = np.empty((2, len(references)), np.int64)
    flat = quotients.ravel()
    still = CODE_MAX_SHIFT
    fixed = np.empty((2, _PLANES, _TILES), np.uint64)
    _shift(probe, octets, ours)
    fixed[0] = ours[:, still, still]
    for number in range(len(references)):
        _shift(references[number], octets, theirs)
        fixed[1] = theirs[:, still, still]
        for way in range(2):
            _count(theirs if way else ours, fixed[1 - way], flat, far, cells)
            _relax_across(flat_far, near)
            _relax_along(near, flat_far)
            _set_out(flat_far, flat_cells, planes[0], planes[1], margin)
            found = _best(planes, offsets, worth, margin, sums, at_places)
            distances[way, number], places[way, number] = found
    return distances, places
