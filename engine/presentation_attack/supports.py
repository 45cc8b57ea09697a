"""What supports the gate: flatness at a tilt, a background that moves along, light, traces."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.parameters import (
    LIGHT_LAGS_S,
    LIGHT_MIN_FRAMES,
    LOOK_CELLS,
    LOOK_MIN_CELLS,
    LOOK_MIN_CONTRAST,
    LOOK_ROWS,
)
from engine.presentation_attack.challenge import shown_at
from engine.presentation_attack.motions import homography_residual
from engine.presentation_attack.session import Phase
from engine.presentation_attack.surroundings import linear_light

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.presentation_attack.challenge import Challenge, Step
    from engine.presentation_attack.session import Observation

    Seen = Sequence[Observation]
    Values = NDArray[np.float64]


NEUTRAL: Final = (255, 255, 255)


def tilt_residual(steps: Sequence[Seen]) -> float:
    """Return the misfit of the best homography from the open hands of a step to its tilted one.

    The largest, palm widths; NaN without a tilt.
    """
    found = [
        homography_residual(opened.points.astype(float), tilted.points.astype(float))
        for step in steps
        for tilted in step
        if tilted.phase is Phase.TILTED
        for opened in (step[0], _back(step))
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


def light_answer(challenge: Challenge, steps: Sequence[Seen]) -> tuple[float, float]:
    """Return how the palm's colour follows the screen's: correlation and gain.

    Log red/green and blue/green of the palm against its surroundings, at the best delay of
    screen and camera; NaN where too few frames have light.
    """
    lit = [
        (step, one.at_s, one)
        for step, kept in zip(challenge.steps, steps, strict=True)
        for one in kept
        if step.colours and one.phase is not Phase.MOVED and np.isfinite(one.colours).all()
    ]
    if len(lit) < LIGHT_MIN_FRAMES:
        return np.nan, np.nan
    seen = np.array([_chroma(one.colours[0]) - _chroma(one.colours[1]) for *_, one in lit])
    return max(
        _fit(seen, np.array([_chroma_asked(step, at_s - lag) for step, at_s, _ in lit]))
        for lag in LIGHT_LAGS_S
    )


def _chroma_asked(step: Step, at_s: float) -> Values:
    return _chroma(linear_light(shown_at(step, at_s) or NEUTRAL))


def _chroma(linear: NDArray[np.floating]) -> Values:
    logs = np.log(np.maximum(linear.astype(float), 1e-4))
    return np.asarray(logs[[0, 2]] - logs[1])


def _fit(seen: Values, shown: Values) -> tuple[float, float]:
    """Return correlation and slope of both colours together."""
    y, x = (values - values.mean(axis=0) for values in (seen, shown))
    spread = float(np.sqrt((x**2).sum() * (y**2).sum()))
    product = float((x * y).sum())
    return product / max(spread, 1e-12), product / max(float((x**2).sum()), 1e-12)


def _correlation(one: Values, other: Values) -> float:
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < LOOK_MIN_CELLS:
        return np.nan
    a, b = one[both], other[both]
    if min(a.std(), b.std()) < LOOK_MIN_CONTRAST:
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])


def _back(step: Seen) -> Observation:
    return [seen for seen in step if seen.phase is Phase.BACK][-1]
