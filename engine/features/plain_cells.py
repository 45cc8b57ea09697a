"""Hides what covers a palm: cells of codes where all directions are alike.

A plain thing, such as a sleeve, has no lines: its cells take one direction, and two codes with
its edge are alike wherever the palms differ. Palms never have a whole window of one direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.features.code_bytes import rows_of
from engine.parameters import CODE_PLAIN_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def hide_plain_cells(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return codes, shape (..., 512), with the cells of plain windows masked."""
    rows = rows_of(codes)
    window = _plain_windows(rows)
    if not window.any():
        return codes
    hidden = np.zeros_like(rows[..., 3, :])
    for column in range(CODE_PLAIN_CELLS):
        for row in range(CODE_PLAIN_CELLS):
            hidden[..., row : row + window.shape[-1]] |= window << np.uint32(column)
    shown = rows & ~hidden[..., None, :]
    return shown.astype("<u4").view(np.uint8).reshape(codes.shape)


def _plain_windows(rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the first cells of windows of one direction, shape (..., rows of windows)."""
    alike = _same(rows, rows >> np.uint32(1))
    below = _same(rows[..., 1:], rows[..., :-1])
    steps = CODE_PLAIN_CELLS - 1
    across = np.bitwise_and.reduce([alike >> np.uint32(step) for step in range(steps)])
    count = rows.shape[-1] - steps
    down = [below[..., step : step + count] for step in range(steps)]
    lines = [across[..., step : step + count] for step in range(steps + 1)]
    return np.asarray(np.bitwise_and.reduce([*down, *lines]), np.uint32)


def _same(ones: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the cells that are seen in both, with one direction."""
    differing = np.bitwise_or.reduce(ones[..., :3, :] ^ others[..., :3, :], axis=-2)
    return np.asarray(ones[..., 3, :] & others[..., 3, :] & ~differing, np.uint32)
