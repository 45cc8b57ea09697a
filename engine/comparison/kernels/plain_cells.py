"""Hides what covers a palm: cells of codes where all directions are alike.

A plain thing, such as a sleeve, has no lines: its cells take one direction, and two codes with
its edge are alike wherever the palms differ. Palms never have a whole window of one direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
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
