"""How smooth a code is: smooth ones resemble each other, whoever they are of.

A blurred picture, or one blown up from few pixels, gives a code of large patches, and patches
are laid over patches more easily than lines over lines: the scores of strangers rise, and with
them the false match rate at a threshold that sharp pictures were compared for. How far
neighbouring cells differ tells it from the code alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.features.code_bytes import rows_of
from engine.parameters import CODE_DIRECTIONS, CODE_ROUGHNESS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def roughness_deficit(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return what the cells of codes lack of differing from their neighbours as a sharp palm's.

    Only a lack counts: a code that is rougher than palms are gains nothing by it.

    Args:
        codes: shape (..., 512).

    Returns:
        Shape (...,), 0 (no smoother than a sharp palm, or no two neighbours seen) to
        ``CODE_ROUGHNESS`` (all cells have one direction).
    """
    rows = rows_of(codes)
    across = _counted(rows, rows >> np.uint32(1))
    along = _counted(rows[..., 1:], rows[..., :-1])
    bits, pairs = across[0] + along[0], across[1] + along[1]
    roughness = bits / np.maximum(CODE_DIRECTIONS // 2 * pairs, 1)
    lacking = np.maximum(CODE_ROUGHNESS - roughness, 0.0)
    return np.where(pairs > 0, lacking, 0.0)


def _counted(
    ones: NDArray[np.uint32], others: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count in how many bits cells differ that both are seen, and the pairs of cells."""
    seen = ones[..., 3, :] & others[..., 3, :]
    differing = (ones[..., :3, :] ^ others[..., :3, :]) & seen[..., None, :]
    bits = np.bitwise_count(differing).sum(axis=(-2, -1), dtype=np.int64)
    return bits, np.bitwise_count(seen).sum(axis=-1, dtype=np.int64)
