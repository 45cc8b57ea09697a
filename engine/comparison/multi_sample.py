"""Score-level fusion of several probes, for identification and verification.

The mean keeps a single comparison's threshold valid: a second probe is not a second chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fuse(scores: NDArray[np.float32]) -> tuple[float, int]:
    """Fuse one group's scores, shape (probes, references): mean of the best references.

    Returns:
        The fused score, and the reference with the best mean. NaN counts as −∞.
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    return float(safe.max(axis=1).mean()), int(safe.mean(axis=0).argmax())


def fuse_groups(
    scores: NDArray[np.float32], firsts: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fuse the scores of several groups as ``fuse`` does.

    Groups lie side by side in ``scores``; ``firsts`` has each start and the end.
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    starts, sizes = firsts[:-1], firsts[1:] - firsts[:-1]
    fused = np.maximum.reduceat(safe, starts, axis=1).mean(axis=0)
    means = safe.mean(axis=0)
    (best,) = (means == np.maximum.reduceat(means, starts).repeat(sizes)).nonzero()
    return fused, best[best.searchsorted(starts)]
