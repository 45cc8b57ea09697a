"""The innermost loop of a comparison, compiled: two codes laid over each other in every way.

The one is cut into tiles, which are laid on the other at every shift; a pose puts together what
its tiles say. Then the other is cut. The interpreter's lock is free meanwhile.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from engine.comparison.alignment_poses import tile_displacements
from engine.comparison.kernels.build import compiled
from engine.comparison.kernels.poses import Room, best_place, room_for, worth_of_cells
from engine.comparison.kernels.shifts import (
    EDGE,
    GAP,
    ONE,
    SIDE,
    SQUARE,
    TILES,
    cut,
    differ,
    distances_of_states,
    empty_halves,
    empty_tiles,
    hold,
    look_up,
    relax,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def align_codes(
    probe: NDArray[np.uint32], references: NDArray[np.uint32]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Lay a code over each of others, and each of them over it, in every pose.

    Args:
        probe: rows, shape (4, 32), column 0 in the lowest bit.
        references: rows, shape (count, 4, 32).

    Returns:
        The least distances, shape (2, count): the probe shifted, or the reference; and where
        they were found, same shape: number of the pose × shifts² + number of the shift.
    """
    return _lay(probe, references, *_tables(), room_for(tile_displacements()))


@cache
def _tables() -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Return what is looked up."""
    return distances_of_states(), worth_of_cells(), tile_displacements()


@compiled
def _lay(  # pragma: no cover - compiled
    probe: NDArray[np.uint32],
    references: NDArray[np.uint32],
    table: NDArray[np.int32],
    worth: NDArray[np.float64],
    poses: NDArray[np.int64],
    room: Room,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Do so, with the tables of ``tile_shifts`` and ``tile_poses``."""
    halves = (empty_halves(), empty_halves())
    tiles = (empty_tiles(), empty_tiles())
    rows = np.zeros((2, 64), np.uint32)
    states = np.full(TILES * SQUARE, GAP, np.int32)
    far = np.full((2, TILES * SQUARE + 2 * EDGE), ONE, np.int32)
    distances = np.empty((2, len(references)), np.float64)
    places = np.empty((2, len(references)), np.int64)
    cut(probe, rows, halves[0])
    hold(halves[0], tiles[0])
    for number in range(len(references)):
        cut(references[number], rows, halves[1])
        hold(halves[1], tiles[1])
        for moved in range(2):
            differ(halves[moved], tiles[1 - moved], states)
            look_up(states, table, far[0])
            relax(far[0], far[1], SIDE)
            relax(far[1], far[0], 1)
            distances[moved, number], places[moved, number] = best_place(
                far[0], states, worth, poses, room
            )
    return distances, places
