"""Score-level fusion of several probes, for identification and verification.

The best comparison counts. A decision by it counts every comparison in the threshold; D12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fuse(scores: NDArray[np.float32]) -> tuple[float, int]:
    """Fuse one group's scores, shape (probes, references): the best one.

    Returns:
        That score and its reference. NaN counts as −∞.
    """
    (score,), (best,) = fuse_groups(scores, np.array([0, scores.shape[1]]))
    return float(score), int(best)


def fuse_groups(
    scores: NDArray[np.float32], firsts: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fuse the scores of several groups as ``fuse`` does.

    Groups lie side by side in ``scores``; ``firsts`` has each start and the end.
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    best = safe.max(axis=0)
    starts, sizes = firsts[:-1], firsts[1:] - firsts[:-1]
    fused = np.maximum.reduceat(best, starts)
    (places,) = (best == fused.repeat(sizes)).nonzero()
    return fused, places[places.searchsorted(starts)]
