"""Compiled inner loop of the bootstrap: how often a comparison counts in each draw.

One pass over the comparisons adds up all draws, in exact integers.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


@njit(nogil=True)
def add_mated(  # pragma: no cover - compiled
    places: NDArray[np.int64], probes: Numbers, weights: Numbers, counts: NDArray[np.int64]
) -> None:
    """Add comparisons of subjects with themselves, as often as the subject was drawn.

    Args:
        places: index between thresholds of each score, shape (comparisons,).
        probes: subject of each comparison, same shape.
        weights: draws of each subject, shape (subjects, draws).
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
    """Add comparisons of two subjects, as often as both were drawn."""
    for number in range(places.size):
        here = counts[places[number]]
        one, other = weights[probes[number]], weights[references[number]]
        for draw in range(here.size):
            here[draw] += one[draw] * other[draw]
