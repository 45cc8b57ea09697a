"""Detects the codes of blurred or enlarged pictures.

Their large patches align easily, so the false match rate rises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.features.code_bytes import rows_of
from engine.parameters import CODE_DIRECTIONS, CODE_ROUGHNESS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def roughness_deficit(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return how much smoother codes, shape (..., 512), are than a sharp palm's.

    Returns:
        Shape (...,), 0 (sharp, or nothing to compare) to ``CODE_ROUGHNESS``.
    """
    roughness, pairs = _measured(codes)
    lacking = np.maximum(CODE_ROUGHNESS - roughness, 0.0)
    return np.where(pairs > 0, lacking, 0.0)


def _measured(codes: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the roughness of codes, 0 if nothing is seen, and the compared pairs."""
    rows = rows_of(codes)
    across, along = (rows, rows >> np.uint32(1)), (rows[..., 1:], rows[..., :-1])
    ones, others = (np.concatenate(each, axis=-1) for each in zip(across, along, strict=True))
    bits, pairs = _counted(ones, others)
    return bits / np.maximum(CODE_DIRECTIONS // 2 * pairs, 1), pairs


def _counted(
    ones: NDArray[np.uint32], others: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the differing bits of unmasked pairs of cells, and the pairs."""
    seen = ones[..., 3, :] & others[..., 3, :]
    differing = (ones[..., :3, :] ^ others[..., :3, :]) & seen[..., None, :]
    bits = np.bitwise_count(differing).sum(axis=(-2, -1), dtype=np.int64)
    return bits, np.bitwise_count(seen).sum(axis=-1, dtype=np.int64)
