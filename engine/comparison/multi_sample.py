"""Several comparison scores become one: the same rule for searching and for verifying.

A group is as similar to a login's probes as its best reference is to each of them, averaged
over the probes. Averaging keeps the threshold of a single comparison safe: a second probe is no
second chance for a stranger, and one lucky frame does not let him in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fuse(scores: NDArray[np.float32]) -> tuple[float, int]:
    """Fuse the comparison scores of one group.

    Args:
        scores: shape (probes, references), float32, higher is more similar, both at least 1.

    Returns:
        The fused score, in the range of the scores, and which reference scored best on average.
        A score that is not a number counts as minus infinity: it can never help to match.
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    return float(safe.max(axis=1).mean()), int(safe.mean(axis=0).argmax())


def fuse_groups(
    scores: NDArray[np.float32], firsts: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fuse the comparison scores of several groups as ``fuse`` does each.

    Args:
        scores: shape (probes, references), float32, the references of a group side by side.
        firsts: where each group begins, and the end: shape (groups + 1,), rising.

    Returns:
        Fused scores, shape (groups,), and which reference scored best on average, counted from
        the first of all, shape (groups,).
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    sizes = np.diff(firsts)
    columns = firsts[:-1, None] + np.arange(sizes.max(initial=1))[None]
    is_one = np.arange(sizes.max(initial=1))[None] < sizes[:, None]
    # Beyond a group's end stands minus infinity, which neither wins nor ties with a number.
    by_group = np.where(is_one, safe[:, np.where(is_one, columns, 0)], -np.inf)
    means = np.where(is_one, by_group.mean(axis=0), -np.inf)
    return by_group.max(axis=2).mean(axis=0), firsts[:-1] + means.argmax(axis=1)
