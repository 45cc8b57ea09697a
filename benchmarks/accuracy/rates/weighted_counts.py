"""The innermost loop of the bootstrap, compiled: how often a comparison counts in each draw.

All draws are added up in one pass over the comparisons. Everything is whole numbers: the sums
are exact, in whatever order they are made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import njit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]


@njit(nogil=True)
def add_mated(  # pragma: no cover - compiled
    places: NDArray[np.int64], probes: Numbers, weights: Numbers, counts: NDArray[np.int64]
) -> None:
    """Count comparisons of subjects with themselves: as often as the subject was drawn.

    Args:
        places: between which thresholds each score lies, shape (comparisons,).
        probes: subject of each comparison, same shape.
        weights: how often each subject was drawn, shape (subjects, draws).
        counts: added to, shape (places, draws).
    """
    for number in range(places.size):
        here, drawn = counts[places[number]], weights[probes[number]]
        for draw in range(here.size):
            here[draw] += drawn[draw]


@njit(nogil=True)
def add_non_mated(  # pragma: no cover - compiled
    places: NDArray[np.int64],
    probes: Numbers,
    references: Numbers,
    weights: Numbers,
    counts: NDArray[np.int64],
) -> None:
    """Count comparisons of two subjects: as often as both were drawn.

    Args:
        places: between which thresholds each score lies, shape (comparisons,).
        probes: subject of each probe, same shape.
        references: subject of each reference, same shape.
        weights: how often each subject was drawn, shape (subjects, draws).
        counts: added to, shape (places, draws).
    """
    for number in range(places.size):
        here = counts[places[number]]
        one, other = weights[probes[number]], weights[references[number]]
        for draw in range(here.size):
            here[draw] += one[draw] * other[draw]
