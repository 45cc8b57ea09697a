"""Detects the codes of blurred or enlarged pictures.

Their large patches align easily, so the false match rate rises.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, CODE_ROUGHNESS


@compiled
def roughness_deficit(rows: NDArray[np.uint32]) -> float:  # pragma: no cover - compiled
    """Return how much smoother the rows of a code, shape (4, 32), are than a sharp palm's.

    Returns:
        0 (sharp, or nothing to compare) to ``CODE_ROUGHNESS``.
    """
    bits, pairs = 0, 0
    for row in range(CODE_CELLS):
        for step in range(2 if row + 1 < CODE_CELLS else 1):
            seen = rows[3, row] & _neighbour(rows[3], row, step)
            pairs += int(count_bits(np.uint64(seen)))
            for plane in range(3):
                differing = (rows[plane, row] ^ _neighbour(rows[plane], row, step)) & seen
                bits += int(count_bits(np.uint64(differing)))
    lacking: float = max(CODE_ROUGHNESS - bits / max(CODE_DIRECTIONS // 2 * pairs, 1), 0.0)
    return lacking if pairs > 0 else 0.0


@compiled
def _neighbour(
    plane: NDArray[np.uint32], row: int, step: int
) -> np.uint32:  # pragma: no cover - compiled
    """Return the cells below (``step`` 1) or to the right of those of a row."""
    return np.uint32(plane[row + 1] if step else plane[row] >> np.uint32(1))


@compiled
def count_bits(word: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Count the bits of a word: LLVM makes one instruction of it."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    twos = np.uint64(0x3333333333333333)
    fours = (pairs & twos) + ((pairs >> np.uint64(2)) & twos)
    octets = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (octets * np.uint64(0x0101010101010101)) >> np.uint64(56)
