"""The best of all poses and shifts of two codes, compiled.

A pose, that is a turn and a zoom, moves tiles whole: how far they are at every shift is known,
and is added up anew for each pose. At n of 1024 cells a distance is S − Σ g / (32 √n), with S
the distance of strangers and g what a tile gains on them by its cells: a place beats the best
so far only if (Σ g)² is at least a bar times n. Gains rounded up to 16 bits tell of nearly all
places that they do not; the others are computed exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.comparison.kernels.build import compiled
from engine.comparison.kernels.shifts import EDGE, ONE, SHIFTS, SIDE, SQUARE, TILES
from engine.parameters import CODE_CELLS, CODE_STRANGE_DISTANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
    Shorts = NDArray[np.int16]

_GAIN_BITS: Final = 14
"""Gains are kept in units of 2^14, rounded up: the sum of sixteen fits 16 bits, and overstates
what a place gains by 0.00024 of a distance at most."""

_LEAST_GAIN: Final = -(1 << 15) // TILES
_STRANGE: Final = int(CODE_STRANGE_DISTANCE * ONE) + 1
_PLACES: Final = 32
"""Sums are made of so many places at once."""

_LOST: Final = 1e-9
"""More than rounding can take of a distance."""


def worth_of_cells() -> NDArray[np.float64]:
    """Return what a sum over tiles is worth by how many cells count, shape (2, 1025).

    The distance is the first number plus the second times the sum: fewer cells draw it towards
    a stranger's.
    """
    cells = np.arange(CODE_CELLS**2 + 1)
    certainty = np.sqrt(cells / CODE_CELLS**2)
    share = certainty / (np.maximum(cells, 1) * float(ONE))
    return np.stack([CODE_STRANGE_DISTANCE * (1 - certainty), share])


@compiled
def _gain(  # pragma: no cover - compiled
    near: Numbers, states: Numbers, gains: Shorts, cells: Shorts
) -> None:
    """Work out what each tile gains at each shift, rounded up, and how many of its cells count.

    Args:
        near: how far the tiles are, as ``tile_shifts.relax`` writes it.
        states: as ``tile_shifts.differ`` writes them.
        gains: written, shape (tiles × square,).
        cells: written, same shape; 0 in gaps.
    """
    for n in range(TILES * SQUARE):
        count = states[n] >> 8
        exact = np.int32(np.int32(_STRANGE - near[EDGE + n]) * count)
        gains[n] = max(int(exact >> _GAIN_BITS) + 1, _LEAST_GAIN)
        cells[n] = count


@compiled
def _set_out(  # pragma: no cover - compiled
    squares: NDArray[np.uint64], planes: NDArray[np.uint64], margin: int
) -> None:
    """Copy the squares of shifts into planes with an empty margin, four numbers in a word.

    Args:
        squares: shape (tiles × square / 4,).
        planes: written, shape (tiles, at least (shifts + 2 × margin) × width / 4); a row of a
            plane is ``width`` = 16 + margin numbers long.
        margin: shifts beyond those that are known, a multiple of 4; stays 0.
    """
    width = SIDE + margin
    for tile in range(TILES):
        for x in range(SHIFTS):
            first = (tile * SQUARE + x * SIDE) // 4
            start = ((x + margin) * width + margin) // 4
            for n in range(SIDE // 4):
                planes[tile, start + n] = squares[first + n]


@compiled
def _add_up(  # pragma: no cover - compiled
    planes: Shorts, offsets: NDArray[np.int64], sums: Shorts
) -> None:
    """Add the planes of all tiles up, each from where a pose puts its first shift.

    Args:
        planes: shape (tiles, …).
        offsets: shape (tiles,).
        sums: written, one for each place from the first shift to the last.
    """
    size = len(sums)
    sums[:] = 0
    for tile in range(0, TILES, 4):
        at = offsets[tile : tile + 4]
        one, two = planes[tile, at[0] :][:size], planes[tile + 1, at[1] :][:size]
        three, four = planes[tile + 2, at[2] :][:size], planes[tile + 3, at[3] :][:size]
        for n in range(size):
            sums[n] += one[n] + two[n] + three[n] + four[n]


@compiled
def _may_win(  # pragma: no cover - compiled
    gains: Shorts, cells: Shorts, shown: Shorts, bar: int
) -> bool:
    """Tell whether a place may beat the best so far.

    Args:
        gains: of each place.
        cells: of each place.
        shown: −1 at shifts, 0 at places between them.
        bar: as ``_bar`` returns it.
    """
    most, height = np.int32(-1), np.int32(bar)
    for n in range(len(gains)):
        ahead = np.int32(max(gains[n] & shown[n], 0))
        lead = np.int32(ahead * ahead) - np.int32(height * np.int32(cells[n]))
        most = max(most, np.int32(lead - 1 - shown[n]))
    return bool(most >= 0)


@compiled
def _furthest_ahead(gains: Shorts, shown: Shorts) -> int:  # pragma: no cover - compiled
    """Return a place that is a shift, and gains as much as any: a first guess of the best."""
    most = np.int16(0)
    for n in range(len(gains)):
        most = max(most, np.int16(gains[n] & shown[n]))
    for n in range(len(gains)):
        if shown[n] and gains[n] == most:
            return n
    return 0


@compiled
def _bar(distance: float) -> int:  # pragma: no cover - compiled
    """Return how high (Σ g)² must be, a cell, for less than a distance."""
    lead = max(CODE_STRANGE_DISTANCE - distance - _LOST, 0.0)
    return int((lead * (CODE_CELLS * ONE >> _GAIN_BITS)) ** 2)


@compiled
def _exactly(  # pragma: no cover - compiled
    near: Numbers, states: Numbers, worth: NDArray[np.float64], pose: NDArray[np.int64],
    x: int, y: int,
) -> float:  # fmt: skip
    """Return the distance of a pose at a shift."""
    far, cells = 0, 0
    for tile in range(TILES):
        column, row = x + pose[tile, 0], y + pose[tile, 1]
        if 0 <= column < SHIFTS and 0 <= row < SHIFTS:
            n = tile * SQUARE + column * SIDE + row
            count = states[n] >> 8
            cells += count
            far += near[EDGE + n] * count
    distance: float = worth[0, cells] + worth[1, cells] * far
    return distance


class Room(NamedTuple):
    """Where sums are made; the same for all comparisons.

    Attributes:
        margin: by how much planes are wider than what is known, a multiple of 4.
        squares: shape (2, tiles × square): gains, and cells.
        planes: the same with a margin, shape (2, tiles, …).
        shown: which places from the first shift to the last are shifts, −1 or 0: whole vectors.
        sums: of planes, one for each place, shape (2, places).
    """

    margin: int
    squares: Shorts
    planes: Shorts
    shown: Shorts
    sums: Shorts


def room_for(poses: NDArray[np.int64]) -> Room:
    """Return room for as many poses."""
    margin = -(-int(np.abs(poses).max()) // 4) * 4
    width = SIDE + margin
    places = -(-((SHIFTS - 1) * width + SHIFTS) // _PLACES) * _PLACES
    rows, columns = np.divmod(np.arange(places), width)
    shown = np.where((rows < SHIFTS) & (columns < SHIFTS), -1, 0).astype(np.int16)
    squares = np.empty((2, TILES * SQUARE), np.int16)
    planes = np.zeros((2, TILES, (SHIFTS + 2 * margin) * width + _PLACES), np.int16)
    return Room(margin, squares, planes, shown, np.empty((2, places), np.int16))


@compiled
def _closer(  # pragma: no cover - compiled
    near: Numbers, states: Numbers, worth: NDArray[np.float64], pose: NDArray[np.int64],
    room: Room, best: float,
) -> tuple[float, int]:  # fmt: skip
    """Return the least distance of a pose, if it is below the best so far, and its shift."""
    width, bar, found = SIDE + room.margin, _bar(best), -1
    for shift in range(SHIFTS * SHIFTS):
        x, y = divmod(shift, SHIFTS)
        ahead, cells = max(room.sums[0, x * width + y], 0), room.sums[1, x * width + y]
        if ahead * ahead >= bar * cells:
            distance = _exactly(near, states, worth, pose, x, y)
            if distance < best:
                best, found, bar = distance, shift, _bar(distance)
    return best, found


@compiled
def best_place(  # pragma: no cover - compiled
    near: Numbers, states: Numbers, worth: NDArray[np.float64], poses: NDArray[np.int64],
    room: Room,
) -> tuple[float, int]:  # fmt: skip
    """Return the least distance of all poses and shifts, and which has it first, poses first.

    Args:
        near: how far each tile is at each shift, as ``tile_shifts.relax`` writes it.
        states: as ``tile_shifts.differ`` writes them.
        worth: as ``worth_of_cells`` returns it.
        poses: how many cells a tile lies further than the shift, shape (poses, tiles, 2).
        room: for these poses.
    """
    margin, sums = room.margin, room.sums
    width = SIDE + margin
    offsets = (poses[:, :, 0] + margin) * width + poses[:, :, 1] + margin
    _gain(near, states, room.squares[0], room.squares[1])
    for which in range(2):
        _set_out(
            room.squares[which].view(np.uint64), room.planes[which].view(np.uint64), margin
        )
    best, place = np.inf, 0
    for pose in range(len(poses)):
        for which in range(2):
            _add_up(room.planes[which], offsets[pose], sums[which])
        if pose == 0:
            x, y = divmod(_furthest_ahead(sums[0], room.shown), width)
            guess = _exactly(near, states, worth, poses[pose], x, y)
            best = np.nextafter(guess, np.inf)
        if _may_win(sums[0], sums[1], room.shown, _bar(best)):
            best, shift = _closer(near, states, worth, poses[pose], room, best)
            place = pose * SHIFTS * SHIFTS + shift if shift >= 0 else place
    return best, place
