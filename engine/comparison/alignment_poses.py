"""Rotations and scale factors at which two regions are compared.

A pose moves each tile of a code as a whole; directions stay.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned


@cache
def tile_displacements() -> NDArray[np.int64]:
    """Return each tile's shift in each pose, shape (poses, 16, 2), cells, x and y.

    Tiles column by column; the identity is first, to win ties.
    """
    side, cells = tuned.CODE_TILE_CELLS, tuned.CODE_CELLS
    middles = np.arange(side / 2, cells, side) - cells / 2
    tiles = np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1).reshape(-1, 2)
    rotated = [(turn_deg, 1.0) for turn_deg in tuned.CODE_TURNS_DEG]
    zoomed = product(tuned.CODE_ZOOMED_TURNS_DEG, tuned.CODE_ZOOMS)
    moved = [tiles @ _pose_matrix(*pose).T - tiles for pose in (*rotated, *zoomed)]
    return np.rint(moved).astype(np.int64)


def _pose_matrix(turn_deg: float, zoom: float) -> NDArray[np.float64]:
    turn = np.deg2rad(turn_deg)
    upright = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(zoom * upright, np.float64)
