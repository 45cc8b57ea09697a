"""Sums how alike two fields of lines are, block by block, at every small shift."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
from engine.features.code_bytes import HIDDEN
from engine.parameters import ALIGN_BLOCKS, CODE_CELLS, CODE_DIRECTIONS, DENSE_CELLS

Fields = NDArray[np.uint8]

BLOCK_STEP: Final = CODE_CELLS // (ALIGN_BLOCKS + 1)
"""Cells from the middle of a block to that of the next."""

_REACH: Final = BLOCK_STEP + 1


def likenesses() -> NDArray[np.int32]:
    """Return how alike two directions are, in all 0; 0 for a hidden cell. Shape (7, 7)."""
    turns = np.subtract.outer(np.arange(CODE_DIRECTIONS), np.arange(CODE_DIRECTIONS))
    table = np.zeros((HIDDEN + 1, HIDDEN + 1), np.int32)
    table[:HIDDEN, :HIDDEN] = np.rint(2 * np.cos(2 * np.pi * turns / CODE_DIRECTIONS))
    return table


def example() -> tuple[Callable[..., object], *tuple[object, ...]]:
    """Return the compiled function, and arguments like those of an alignment."""
    probe = np.zeros((2, DENSE_CELLS, DENSE_CELLS), np.uint8)
    places = np.zeros((CODE_CELLS, CODE_CELLS, 2), np.int64)
    return match_blocks, probe, probe[:, 1::2, 1::2].copy(), places, 1, likenesses()


@compiled
def match_blocks(  # pragma: no cover - compiled
    probe: Fields, reference: Fields, places: NDArray[np.int64], radius: int,
    alike: NDArray[np.int32],
) -> NDArray[np.int32]:  # fmt: skip
    """Return each block's sum at each shift, shape (blocks, 2 radius + 1, 2 radius + 1).

    Directions of a probe have shape (n, 64, 64), of a reference (n, 32, 32). Blocks lie row by
    row, shifts are y before x. ``places``: x and y of each cell of the reference in the probe.
    """
    side, dense = 2 * radius + 1, probe.shape[1]
    sums = np.zeros((ALIGN_BLOCKS * ALIGN_BLOCKS, side, side), np.int32)
    # Of all cells above and to the left: a block's sum is a difference of four.
    above = np.zeros((CODE_CELLS + 1, CODE_CELLS + 1), np.int32)
    for down in range(side):
        for right in range(side):
            for row in range(CODE_CELLS):
                line = np.int32(0)
                for column in range(CODE_CELLS):
                    x = places[row, column, 0] + right - radius
                    y = places[row, column, 1] + down - radius
                    if 0 <= x < dense and 0 <= y < dense:
                        for n in range(len(probe)):
                            line += alike[probe[n, y, x], reference[n, row, column]]
                    above[row + 1, column + 1] = above[row, column + 1] + line
            for block in range(ALIGN_BLOCKS * ALIGN_BLOCKS):
                middle_y = BLOCK_STEP * (1 + block // ALIGN_BLOCKS)
                middle_x = BLOCK_STEP * (1 + block % ALIGN_BLOCKS)
                top, low = max(middle_y - _REACH, 0), min(middle_y + _REACH, CODE_CELLS)
                left, end = max(middle_x - _REACH, 0), min(middle_x + _REACH, CODE_CELLS)
                sums[block, down, right] = (
                    above[low, end] - above[top, end] - above[low, left] + above[top, left]
                )
    return sums
