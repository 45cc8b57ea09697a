"""Finds the best pose and shift of two codes.

With n of 1024 cells a distance is S − Σ g / (32 √n), with S the non-mated distance and g each
tile's gain over it, weighted by its cells: a place can win only if (Σ g)² ≥ needed × n. A test
in 16 bits, rounded up, rejects most places; the others are computed exactly.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
from engine.comparison.kernels.shifts import EDGE, ONE, SHIFTS, SIDE, SQUARE, TILES
from engine.parameters import CODE_CELLS, CODE_NON_MATED_DISTANCE

Numbers = NDArray[np.int32]
Shorts = NDArray[np.int16]

_GAIN_BITS: Final = 14
"""Gains are in units of 2^14, so that sixteen fit 16 bits; error at most 0.00024 of a
distance."""

_LEAST_GAIN: Final = -(1 << 15) // TILES
_NON_MATED: Final = int(CODE_NON_MATED_DISTANCE * ONE) + 1
_PLACES: Final = 32
"""Places summed at once."""

_ROUNDING: Final = 1e-9
"""Above any rounding error."""


def distance_terms() -> NDArray[np.float64]:
    """Return two terms by the number of counted cells: distance = first + second × sum.

    With fewer cells it is nearer to the non-mated distance.
    """
    cells = np.arange(CODE_CELLS**2 + 1)
    certainty = np.sqrt(cells / CODE_CELLS**2)
    share = certainty / (np.maximum(cells, 1) * float(ONE))
    return np.stack([CODE_NON_MATED_DISTANCE * (1 - certainty), share])


@compiled
def _write_gains(  # pragma: no cover - compiled
    distances: Numbers, states: Numbers, gains: Shorts, cells: Shorts
) -> None:
    """Write each tile's gain, rounded up, and its counted cells (0 in gaps) at each shift."""
    for n in range(TILES * SQUARE):
        count = states[n] >> 8
        exact = np.int32(np.int32(_NON_MATED - distances[EDGE + n]) * count)
        gains[n] = max(int(exact >> _GAIN_BITS) + 1, _LEAST_GAIN)
        cells[n] = count


@compiled
def _pad_planes(  # pragma: no cover - compiled
    squares: NDArray[np.uint64], planes: NDArray[np.uint64], margin: int
) -> None:
    """Copy squares of shifts into planes with an empty margin, four numbers a word."""
    width = SIDE + margin
    for tile in range(TILES):
        for x in range(SHIFTS):
            first = (tile * SQUARE + x * SIDE) // 4
            start = ((x + margin) * width + margin) // 4
            for n in range(SIDE // 4):
                planes[tile, start + n] = squares[first + n]


@compiled
def _sum_planes(  # pragma: no cover - compiled
    planes: Shorts, offsets: NDArray[np.int64], sums: Shorts
) -> None:
    size = len(sums)
    sums[:] = 0
    for tile in range(0, TILES, 4):
        at = offsets[tile : tile + 4]
        one, two = planes[tile, at[0] :][:size], planes[tile + 1, at[1] :][:size]
        three, four = planes[tile + 2, at[2] :][:size], planes[tile + 3, at[3] :][:size]
        for n in range(size):
            sums[n] += one[n] + two[n] + three[n] + four[n]


@compiled
def _may_beat(  # pragma: no cover - compiled
    gains: Shorts, cells: Shorts, is_shift: Shorts, needed: int
) -> bool:
    """Return whether a place may beat the best so far; ``is_shift`` is −1 at shifts, else 0."""
    most, height = np.int32(-1), np.int32(needed)
    for n in range(len(gains)):
        gain = np.int32(max(gains[n] & is_shift[n], 0))
        lead = np.int32(gain * gain) - np.int32(height * np.int32(cells[n]))
        most = max(most, np.int32(lead - 1 - is_shift[n]))
    return bool(most >= 0)


@compiled
def _largest_gain(gains: Shorts, is_shift: Shorts) -> int:  # pragma: no cover - compiled
    """Return a shift with the largest gain: the first guess."""
    most = np.int16(0)
    for n in range(len(gains)):
        most = max(most, np.int16(gains[n] & is_shift[n]))
    for n in range(len(gains)):
        if is_shift[n] and gains[n] == most:
            return n
    return 0


@compiled
def _needed_gain(distance: float) -> int:  # pragma: no cover - compiled
    """Return the least (Σ g)² per cell for a smaller distance."""
    lead = max(CODE_NON_MATED_DISTANCE - distance - _ROUNDING, 0.0)
    return int((lead * (CODE_CELLS * ONE >> _GAIN_BITS)) ** 2)


@compiled
def _exact_distance(  # pragma: no cover - compiled
    distances: Numbers, states: Numbers, terms: NDArray[np.float64], pose: NDArray[np.int64],
    x: int, y: int,
) -> float:  # fmt: skip
    total, cells = 0, 0
    for tile in range(TILES):
        column, row = x + pose[tile, 0], y + pose[tile, 1]
        if 0 <= column < SHIFTS and 0 <= row < SHIFTS:
            n = tile * SQUARE + column * SIDE + row
            count = states[n] >> 8
            cells += count
            total += distances[EDGE + n] * count
    distance: float = terms[0, cells] + terms[1, cells] * total
    return distance


class Workspace(NamedTuple):
    """Buffers that all comparisons reuse.

    ``margin`` is a multiple of 4; ``is_shift`` is −1 at shifts, else 0; ``squares``, ``planes``
    and ``sums`` hold gains, then counted cells.
    """

    margin: int
    squares: Shorts
    planes: Shorts
    is_shift: Shorts
    sums: Shorts

    def copied(self) -> Workspace:
        """Return a copy with separate buffers."""
        return self._replace(
            squares=self.squares.copy(), planes=self.planes.copy(), sums=self.sums.copy()
        )


def workspace_for(poses: NDArray[np.int64]) -> Workspace:
    """Allocate the buffers for these poses."""
    margin = -(-int(np.abs(poses).max()) // 4) * 4
    width = SIDE + margin
    places = -(-((SHIFTS - 1) * width + SHIFTS) // _PLACES) * _PLACES
    rows, columns = np.divmod(np.arange(places), width)
    is_shift = np.where((rows < SHIFTS) & (columns < SHIFTS), -1, 0).astype(np.int16)
    squares = np.empty((2, TILES * SQUARE), np.int16)
    planes = np.zeros((2, TILES, (SHIFTS + 2 * margin) * width + _PLACES), np.int16)
    return Workspace(margin, squares, planes, is_shift, np.empty((2, places), np.int16))


@compiled
def _best_shift(  # pragma: no cover - compiled
    distances: Numbers, states: Numbers, terms: NDArray[np.float64], pose: NDArray[np.int64],
    workspace: Workspace, best: float,
) -> tuple[float, int]:  # fmt: skip
    """Return a pose's least distance below the best, and its shift or −1."""
    width, needed, found = SIDE + workspace.margin, _needed_gain(best), -1
    for x in range(SHIFTS):
        row = slice(x * width, x * width + SIDE)
        gains, cells = workspace.sums[0][row], workspace.sums[1][row]
        if not _may_beat(gains, cells, workspace.is_shift[row], needed):
            continue
        for y in range(SHIFTS):
            gain = max(gains[y], 0)
            if gain * gain >= needed * cells[y]:
                distance = _exact_distance(distances, states, terms, pose, x, y)
                if distance < best:
                    best, found = distance, x * SHIFTS + y
                    needed = _needed_gain(distance)
    return best, found


@compiled
def best_alignment(  # pragma: no cover - compiled
    distances: Numbers, states: Numbers, terms: NDArray[np.float64], poses: NDArray[np.int64],
    workspace: Workspace,
) -> tuple[float, int]:  # fmt: skip
    """Return the least distance of all poses and shifts, and the first place that has it."""
    margin, sums = workspace.margin, workspace.sums
    width = SIDE + margin
    offsets = (poses[:, :, 0] + margin) * width + poses[:, :, 1] + margin
    _write_gains(distances, states, workspace.squares[0], workspace.squares[1])
    for which in range(2):
        _pad_planes(
            workspace.squares[which].view(np.uint64),
            workspace.planes[which].view(np.uint64),
            margin,
        )
    best, place = np.inf, 0
    for pose in range(len(poses)):
        for which in range(2):
            _sum_planes(workspace.planes[which], offsets[pose], sums[which])
        if pose == 0:
            x, y = divmod(_largest_gain(sums[0], workspace.is_shift), width)
            guess = _exact_distance(distances, states, terms, poses[pose], x, y)
            best = np.nextafter(guess, np.inf)
        if _may_beat(sums[0], sums[1], workspace.is_shift, _needed_gain(best)):
            best, shift = _best_shift(distances, states, terms, poses[pose], workspace, best)
            place = pose * SHIFTS * SHIFTS + shift if shift >= 0 else place
    return best, place
