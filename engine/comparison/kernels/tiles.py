"""Aligns two codes in every pose and at every shift, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.comparison.alignment_poses import tile_displacements
from engine.comparison.kernels.compiling import compiled
from engine.comparison.kernels.plain_cells import hide_plain_cells
from engine.comparison.kernels.poses import (
    Workspace,
    best_alignment,
    distance_terms,
    workspace_for,
)
from engine.comparison.kernels.roughness import roughness_deficit
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
    take_tiles,
    write_distances,
)


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
