"""Aligns two codes in every pose and at every shift, without the interpreter's lock.

Hides first what covers a palm: cells where all directions are alike. A plain thing, such as a
sleeve, has no lines: its cells take one direction, and two codes with its edge are alike
wherever the palms differ. Palms never have a whole window of one direction.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import tile_displacements
from engine.comparison.kernels.compiling import compiled
from engine.comparison.kernels.poses import (
    Workspace,
    best_alignment,
    distance_terms,
    workspace_for,
)
from engine.comparison.kernels.shifts import (
    CUT_SHAPE,
    EDGE,
    GAP,
    ONE,
    SIDE,
    SQUARE,
    TILES,
    TILES_SHAPE,
    count_differences,
    cut_tiles,
    distances_of_states,
    min_over_neighbours,
    roughness_deficit,
    take_tiles,
    write_distances,
)
from engine.parameters import CODE_CELLS, CODE_PLAIN_CELLS

_STEPS = CODE_PLAIN_CELLS - 1


@compiled
def hide_plain_cells(rows: NDArray[np.uint32]) -> None:  # pragma: no cover - compiled
    """Mask the cells of plain windows in the rows of a code, shape (4, 32)."""
    hidden = np.zeros(CODE_CELLS, np.uint32)
    for row in range(CODE_CELLS - _STEPS):
        window = _across(rows, row)
        for step in range(_STEPS):
            window &= _same(rows, row + step, row + step + 1, 0)
            window &= _across(rows, row + step + 1)
        for column in range(1, CODE_PLAIN_CELLS):
            hidden[row] |= window << np.uint32(column)
        hidden[row] |= window
    for row in range(CODE_CELLS - 1, -1, -1):
        for step in range(1, min(_STEPS, row) + 1):
            hidden[row] |= hidden[row - step]
        rows[:, row] &= ~hidden[row]


@compiled
def _across(rows: NDArray[np.uint32], row: int) -> np.uint32:  # pragma: no cover - compiled
    """Return the first cells of a row's windows of one direction."""
    alike = _same(rows, row, row, 1)
    for step in range(1, _STEPS):
        alike &= _same(rows, row, row, 1) >> np.uint32(step)
    return np.uint32(alike)


@compiled
def _same(
    rows: NDArray[np.uint32], one: int, other: int, right: int
) -> np.uint32:  # pragma: no cover - compiled
    """Return the cells of a row that are seen with one direction there and in another place."""
    differing, shift = np.uint32(0), np.uint32(right)
    for plane in range(3):
        differing |= rows[plane, one] ^ (rows[plane, other] >> shift)
    return np.uint32(rows[3, one] & (rows[3, other] >> shift) & ~differing)


def align_codes(
    probe: NDArray[np.uint32], references: NDArray[np.uint32]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Align the rows of a code, shape (4, 32), with each of others, shape (count, 4, 32).

    Plain cells are hidden first.

    Returns:
        The least distances and their places (pose × shifts² + shift), shape (2, count): probe
        shifted, reference shifted; and both roughness deficits' means, shape (count,).
    """
    workspace = _empty_workspace().copied()
    return align_all(probe.copy(), references.copy(), *_tables(), workspace)


def example() -> tuple[Callable[..., object], *tuple[object, ...]]:
    """Return the compiled function, and arguments like those of a comparison."""
    rows = np.zeros((1, 4, 32), np.uint32)
    return align_all, rows[0], rows, *_tables(), _empty_workspace()


@cache
def _tables() -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    return distances_of_states(), distance_terms(), tile_displacements()


@cache
def _empty_workspace() -> Workspace:
    return workspace_for(tile_displacements())


@compiled
def align_all(  # pragma: no cover - compiled
    probe: NDArray[np.uint32],
    references: NDArray[np.uint32],
    table: NDArray[np.int32],
    terms: NDArray[np.float64],
    poses: NDArray[np.int64],
    workspace: Workspace,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Align rows as ``align_codes`` does; hides plain cells where they are."""
    cut = np.zeros((2, *CUT_SHAPE), np.uint64)
    tiles = np.empty((2, *TILES_SHAPE), np.uint64)
    scratch = np.zeros((2, 64), np.uint64)
    states = np.full(TILES * SQUARE, GAP, np.int32)
    buffers = np.full((2, TILES * SQUARE + 2 * EDGE), ONE, np.int32)
    distances = np.empty((2, len(references)), np.float64)
    places = np.empty((2, len(references)), np.int64)
    smooth = np.empty(len(references), np.float64)
    hide_plain_cells(probe)
    own = roughness_deficit(probe)
    cut_tiles(probe, scratch, cut[0])
    take_tiles(cut[0], tiles[0])
    for number in range(len(references)):
        hide_plain_cells(references[number])
        smooth[number] = (own + roughness_deficit(references[number])) / 2
        cut_tiles(references[number], scratch, cut[1])
        take_tiles(cut[1], tiles[1])
        for moved in range(2):
            count_differences(cut[moved], tiles[1 - moved], states)
            write_distances(states, table, buffers[0])
            min_over_neighbours(buffers[0], buffers[1], SIDE)
            min_over_neighbours(buffers[1], buffers[0], 1)
            distances[moved, number], places[moved, number] = best_alignment(
                buffers[0], states, terms, poses, workspace
            )
    return distances, places, smooth
