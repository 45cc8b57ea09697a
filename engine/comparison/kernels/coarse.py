"""Compares probes with coarse codes, to order a short list.

A probe is laid over a row at every shift of up to four cells; each tile may move one more cell.
Cells that the probe does not show count as non-mated ones.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
from engine.comparison.kernels.shifts import count_bits
from engine.features.code_bytes import COARSE_BYTES, TILES, chosen_cells, first_codes, rows_of
from engine.parameters import (
    COARSE_MAX_SHIFT,
    CODE_CELLS,
    CODE_NON_MATED_DISTANCE,
    CODE_TILE_CELLS,
)

Words = NDArray[np.uint32]
Octets = NDArray[np.uint8]

_SHIFTS: Final = 2 * COARSE_MAX_SHIFT + 1
_STEP: Final = _SHIFTS + 1
"""From a shift in x to the next: between them lies a gap."""

_LANES: Final = 32
"""Octets that LLVM takes at once."""

_PLACES: Final = -(-_SHIFTS * _STEP // _LANES) * _LANES
_MARGIN: Final = _STEP
_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_UNIT: Final = 4
"""Distance of one bit, so that a cell that is not seen has a whole number."""

_GAP: Final = 255
_NO_PLACE: Final = 1 << 14
_ONE: Final = _UNIT * 8 * COARSE_BYTES


def coarse_distances(
    coarse: NDArray[np.uint8], codes: Sequence[NDArray[np.uint8]]
) -> NDArray[np.float32]:
    """Return the least shares of differing bits of codes and coarse codes.

    Args:
        coarse: coarse codes, shape (rows, 64), C-contiguous.
        codes: of the probes, shape (n × 512,) each, of which the first counts.

    Returns:
        Shape (probes, rows), float32.
    """
    found = np.empty((len(codes), len(coarse)), np.float32)
    probes = np.stack([rows_of(first_codes(code)) for code in codes])
    write_distances(probes, chosen_cells(), _costs_of_hidden(), coarse.view("<u4"), found)
    return found


def example() -> tuple[Callable[..., object], *tuple[object, ...]]:
    """Return the compiled function, and arguments like those of a search."""
    probes, rows = np.zeros((1, 4, CODE_CELLS), np.uint32), np.zeros((1, TILES), np.uint32)
    found = np.zeros((1, 1), np.float32)
    return write_distances, probes, chosen_cells(), _costs_of_hidden(), rows, found


@cache
def _costs_of_hidden() -> NDArray[np.uint8]:
    """Return what a tile's hidden cells cost, by how many of its 32 are seen."""
    hidden = 32 - np.arange(33)
    return np.asarray(np.rint(_UNIT * CODE_NON_MATED_DISTANCE * hidden), np.uint8)


@compiled
def write_distances(  # pragma: no cover - compiled
    probes: Words, chosen: Words, costs_of_hidden: Octets, rows: Words,
    found: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write ``coarse_distances``."""
    costs = np.full((2, TILES, _PLACES + 2 * _MARGIN), _GAP, np.uint8)
    sums = np.empty(_PLACES, np.uint16)
    for which in range(len(probes)):
        bits = np.zeros((TILES, _PLACES), np.uint32)
        seen = np.zeros((TILES, _PLACES), np.uint32)
        _write_places(probes[which], chosen, bits, seen)
        hidden = np.full((TILES, _PLACES), _GAP, np.uint8)
        for tile in range(TILES):
            for place in range(_SHIFTS * _STEP):
                if place % _STEP < _SHIFTS:
                    hidden[tile, place] = costs_of_hidden[count_bits(seen[tile, place])]
        for number in range(len(rows)):
            _write_costs(rows[number], bits, seen, hidden, costs[0])
            least = _least_sum(costs[0], costs[1], sums)
            found[which, number] = np.float32(least) / np.float32(_ONE)


@compiled
def _write_places(
    rows: Words, chosen: Words, bits: Words, seen: Words
) -> None:  # pragma: no cover - compiled
    """Write a probe's chosen bits, and which of them it shows, at every shift.

    ``rows`` has shape (4, 32), the others (tiles, places): octets of a word hold two rows each.
    """
    for place in range(_SHIFTS * _SHIFTS):
        x, y = place // _SHIFTS, place % _SHIFTS - COARSE_MAX_SHIFT
        for row in range(max(0, -y), min(CODE_CELLS, CODE_CELLS - y)):
            own, shown = np.uint64(0), np.uint64(0)
            for plane in range(3):
                moved = np.uint64(rows[plane, row + y]) << np.uint64(COARSE_MAX_SHIFT)
                own |= (moved >> np.uint64(x)) & np.uint64(chosen[plane, row])
                shown |= np.uint64(chosen[plane, row])
            moved = np.uint64(rows[3, row + y]) << np.uint64(COARSE_MAX_SHIFT)
            shown &= moved >> np.uint64(x)
            octet = np.uint64(8 * (row % CODE_TILE_CELLS // 2))
            for column in range(_PER_SIDE):
                tile = row // CODE_TILE_CELLS * _PER_SIDE + column
                at, start = x * _STEP + place % _SHIFTS, np.uint64(8 * column)
                bits[tile, at] |= ((own >> start) & np.uint64(255)) << octet
                seen[tile, at] |= ((shown >> start) & np.uint64(255)) << octet


@compiled
def _write_costs(  # pragma: no cover - compiled
    row: Words, bits: Words, seen: Words, hidden: Octets, costs: Octets
) -> None:
    """Write each tile's distance at each place."""
    for tile in range(TILES):
        own, here, shown, more = row[tile], bits[tile], seen[tile], hidden[tile]
        cost = costs[tile, _MARGIN:]
        for place in range(_PLACES):
            differing = count_bits((own ^ here[place]) & shown[place])
            cost[place] = (differing << np.uint64(2)) + more[place]


@compiled
def _least_sum(
    costs: Octets, near: Octets, sums: NDArray[np.uint16]
) -> int:  # pragma: no cover - compiled
    """Return the least sum of all tiles, each at the best of its neighbours in y, then x."""
    sums[:] = np.uint16(0)
    for tile in range(TILES):
        here, best = costs[tile], near[tile]
        for n in range(_MARGIN, _MARGIN + _PLACES):
            best[n] = min(min(here[n - 1], here[n]), here[n + 1])
        for n in range(_PLACES):
            sums[n] += min(min(best[n], best[n + _STEP]), best[n + 2 * _STEP])
    least = _NO_PLACE
    for x in range(_SHIFTS):
        for y in range(_SHIFTS):
            least = min(least, int(sums[x * _STEP + y]))
    return least
