"""Coarse codes: an eighth of a competitive code, small enough to lie in memory.

Of each 8 × 8 tile every second cell, as on a chessboard, gives one of its three bits: 32 bits a
tile, tiles row by row.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.features.code_bytes import DIRECTION_BITS, rows_of
from engine.parameters import CODE_CELLS, CODE_TILE_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint32]

TILES: Final = (CODE_CELLS // CODE_TILE_CELLS) ** 2
COARSE_BYTES: Final = 4 * TILES

_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_BITS: Final = len(DIRECTION_BITS[0])


def coarse_codes(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the coarse codes of codes, shape (count, 512), as shape (count, 64), uint8."""
    rows, chosen = rows_of(codes), chosen_cells()
    bits = rows[:, 0] & chosen[0]
    for plane in range(1, _BITS):
        bits |= rows[:, plane] & chosen[plane]
    pairs = np.ascontiguousarray(bits[:, 0::2] | bits[:, 1::2], "<u4")
    octets = pairs.view(np.uint8).reshape(len(codes), _PER_SIDE, -1, _PER_SIDE)
    return octets.swapaxes(-1, -2).reshape(len(codes), COARSE_BYTES)


@cache
def chosen_cells() -> Words:
    """Return the cells of each row that give a plane's bit, shape (3, 32).

    The cells of two neighbouring rows alternate.
    """
    y, x = np.mgrid[:CODE_CELLS, :CODE_CELLS]
    in_tile = x % CODE_TILE_CELLS // 2 + y % CODE_TILE_CELLS
    bits = np.left_shift(np.uint32(1), x.astype(np.uint32))
    planes = [((x + y) % 2 == 0) & (in_tile % _BITS == plane) for plane in range(_BITS)]
    return np.stack([np.where(plane, bits, 0).sum(axis=1) for plane in planes]).astype(
        np.uint32
    )
