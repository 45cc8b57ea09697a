"""How one region may lie on another: turned a little, or showing the palm larger.

Whoever cuts a palm out of a picture errs in place, angle and size. A turn and a zoom move the
tiles of a code apart, each about as a whole: that is all a pose is here. The directions of the
lines stay, whose steps are twice as wide as the largest turn.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from engine.parameters import (
    CODE_CELLS,
    CODE_TILE_CELLS,
    CODE_TURNS_DEG,
    CODE_ZOOMED_TURNS_DEG,
    CODE_ZOOMS,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@cache
def tile_displacements() -> NDArray[np.int64]:
    """Return by how many cells each pose moves each tile, beyond what moves them all.

    Returns:
        Shape (poses, 16, 2), x and y; tiles column by column. The first pose moves none, so
        that of several that agree as well the simplest is taken.
    """
    middles = np.arange(CODE_TILE_CELLS / 2, CODE_CELLS, CODE_TILE_CELLS) - CODE_CELLS / 2
    tiles = np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1).reshape(-1, 2)
    turned = [(turn_deg, 1.0) for turn_deg in CODE_TURNS_DEG]
    zoomed = product(CODE_ZOOMED_TURNS_DEG, CODE_ZOOMS)
    moved = [tiles @ _pose_matrix(*pose).T - tiles for pose in (*turned, *zoomed)]
    return np.rint(moved).astype(np.int64)


def _pose_matrix(turn_deg: float, zoom: float) -> NDArray[np.float64]:
    """Return what turns and zooms, shape (2, 2)."""
    turn = np.deg2rad(turn_deg)
    upright = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(zoom * upright, np.float64)
