"""Checks beside the gate: flatness at a tilt, a background that moves along, traces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.parameters import LOOK_CELLS, LOOK_MIN_CELLS, LOOK_MIN_CONTRAST, LOOK_ROWS
from engine.presentation_attack.motion_checks import opened_again
from engine.presentation_attack.motions import homography_residual
from engine.presentation_attack.session import Observation, Phase

Seen = Sequence[Observation]
Values = NDArray[np.float64]


def tilt_residual(steps: Sequence[Seen]) -> float:
    """Return the misfit of the best homography from the open hands of a step to its tilted one.

    The largest, palm widths; NaN without a tilt.
    """
    found = [
        homography_residual(opened.points.astype(float), tilted.points.astype(float))
        for step in steps
        for tilted in step
        if tilted.phase is Phase.TILTED
        for opened in (step[0], opened_again(step))
    ]
    return max(found, default=np.nan)


def shared_background(steps: Sequence[Seen]) -> float:
    """Return how alike the surroundings stay in the palm's own frame, -1 to 1.

    The median correlation over pairs of steps, above the wrist, since arms move with hands;
    NaN where they are too plain to tell.
    """
    looks = [step[0].look.astype(float)[: LOOK_ROWS * LOOK_CELLS] for step in steps]
    likes = [_correlation(one, other) for one, other in combinations(looks, 2)]
    known = [like for like in likes if np.isfinite(like)]
    return float(np.median(known)) if known else np.nan


def trace_peaks(steps: Sequence[Seen]) -> Values:
    """Return the medians of the traces of open hands; NaN if all are too small."""
    traces = [seen.traces for step in steps for seen in step if seen.phase is not Phase.MOVED]
    known = np.stack(traces).astype(float)
    known = known[np.isfinite(known).all(axis=1)]
    if not len(known):
        return np.full(traces[0].shape, np.nan)
    return np.asarray(np.median(known, axis=0))


def _correlation(one: Values, other: Values) -> float:
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < LOOK_MIN_CELLS:
        return np.nan
    a, b = one[both], other[both]
    if min(a.std(), b.std()) < LOOK_MIN_CONTRAST:
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])
