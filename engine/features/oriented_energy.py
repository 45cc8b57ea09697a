"""The oriented-energy descriptor: the strength of lines of each direction in coarse cells.

The palm network reads it beside the lines; whitened, it is the previous extractor's vector.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.features.competitive_code import Lines

Plane = NDArray[np.float32]

ENERGY_DIMENSION: Final = tuned.CODE_DIRECTIONS * tuned.ENERGY_CELLS * tuned.ENERGY_CELLS
"""Length of the descriptor."""


def describe_lines(lines: Lines) -> Plane:
    """Return the descriptor of a region, mean-free in each direction.

    Each pixel adds its strength to its strongest direction, and less to others.

    Returns:
        Shape (384,), float32, L2 norm 1; constant for a region without lines.
    """
    strongest = lines.responses.min(axis=0)
    strength = np.maximum(-strongest, 0) ** np.float32(tuned.ENERGY_POWER) * lines.seen
    behind = (lines.responses - strongest) / np.float32(tuned.ENERGY_TIE)
    energy = np.maximum(1 - behind, 0) * strength
    window = cell_windows(energy.shape[-1])
    gathered = np.sqrt(window @ energy @ window.T)
    contrast = (gathered - gathered.mean(axis=(1, 2), keepdims=True)).reshape(-1)
    length = float(np.linalg.norm(contrast.astype(np.float64)))
    if length < np.finfo(np.float32).eps:
        return np.full(ENERGY_DIMENSION, ENERGY_DIMENSION**-0.5, np.float32)
    return np.asarray(contrast / np.float32(length), np.float32)


@cache
def cell_windows(size_px: int) -> Plane:
    """Return each pixel's weight in each cell, shape (cells, size)."""
    centres = (np.arange(tuned.ENERGY_CELLS) + 0.5) * (size_px / tuned.ENERGY_CELLS) - 0.5
    offsets = np.arange(size_px)[None] - centres[:, None]
    weights = np.exp(-(offsets**2) / (2 * tuned.ENERGY_SIGMA_PX**2))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)
