"""The fused score: the code's, lowered where the network's vectors are less alike than mates.

How alike the vectors of mates are depends on how far the palms lay apart: the code searches
shifts, the network bears only small ones. So a cosine is judged by what drawn mates have at the
shift at which the codes agree best. Only a lack of it counts, never an abundance: the network
may doubt what the code says, and lets two palms pass that the code finds unlike for nothing.

The numbers come from drawn palms alone, by ``thenar bench fusion``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.compare import compare_shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

EXPECTED_COSINES: Final = (0.6376, 0.5063, 0.398, 0.1908, 0.1908)
"""What nine tenths of drawn mates exceed whose codes agree at a shift of 0 to 4 cells."""

FUSION_WEIGHT: Final = 0.05
"""Of what is missing of it."""


def fused_scores(
    probe: NDArray[np.uint8], references: NDArray[np.uint8], cosines: Scores
) -> Scores:
    """Compare a code with codes, and doubt by the cosines of their vectors.

    Args:
        probe: shape (512,), uint8.
        references: shape (count, 512).
        cosines: of the network's vectors, shape (count,), −1 to 1.

    Returns:
        Shape (count,), float32, at most the code's score; higher is more similar.
    """
    distances, shifts = compare_shifted(probe, references)
    return 1 - distances - np.float32(FUSION_WEIGHT) * missing(cosines, shifts)


def missing(
    cosines: Scores,
    shifts: NDArray[np.int64],
    expected: tuple[float, ...] = EXPECTED_COSINES,
) -> Scores:
    """Return how much less alike vectors are than those of mates at that shift, 0 or more."""
    lacking = np.array(expected, np.float32)[shifts] - cosines
    return np.asarray(np.maximum(lacking, 0), np.float32)
