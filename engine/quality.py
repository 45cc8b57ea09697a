"""Is a region of interest good enough, and how good? ISO/IEC 29794-1.

Each gate looks at one thing, closes at one value, and has its own reason, so that the phone can
say what to do about it. The gates are in the order in which a person should be told. Limits are
where the development sets' palms end, not where they begin: a gate that refuses good palms
costs more than one that lets through a picture which then does not match.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.errors import QualityTooLow
from engine.parameters import (
    CODE_BLIND_LEVELS,
    FOCUS_FLOOR,
    FOCUS_SIGMAS_PX,
    QUALITY_BRIGHT,
    QUALITY_CLIPPED,
    QUALITY_DARK,
    QUALITY_FOCUS,
    QUALITY_INSIDE,
    QUALITY_RESIDUAL,
    QUALITY_SCALE_PX,
)
from engine.roi import is_clipped
from engine.types import PalmRoi, Quality, QualityReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that can be wrong with a region.

    Attributes:
        reason: what is said if it is.
        measure: what is looked at.
        limits: where the gate closes, and the value from which on the thing is perfect.
    """

    reason: QualityReason
    measure: Callable[[Quality], float]
    limits: tuple[float, float]

    def merit(self, quality: Quality) -> float:
        """Return 0 at the limit, 1 where perfect; below 0, or not a number, if it is closed."""
        closes, perfect = self.limits
        return min((self.measure(quality) - closes) / (perfect - closes), 1.0)


GATES: Final = (
    Gate(QualityReason.OUT_OF_FRAME, lambda q: q.inside_share, QUALITY_INSIDE),
    Gate(QualityReason.TOO_SMALL, lambda q: q.scale_px, QUALITY_SCALE_PX),
    Gate(QualityReason.BAD_POSE, lambda q: q.residual, QUALITY_RESIDUAL),
    Gate(QualityReason.TOO_DARK, lambda q: q.exposure, QUALITY_DARK),
    Gate(QualityReason.TOO_BRIGHT, lambda q: q.exposure, QUALITY_BRIGHT),
    Gate(QualityReason.TOO_BLURRED, lambda q: q.focus, QUALITY_FOCUS),
)
"""The gates but that of clipped pixels, whose reason depends on the exposure."""

CLIPPED_LIMITS: Final = QUALITY_CLIPPED
"""Where the gate of clipped pixels closes, and from where on it is perfect."""


def assess(roi: PalmRoi) -> Quality:
    """Measure a region's quality.

    Returns:
        Its score is 0 if a gate is closed, otherwise that of the worst gate, 1 to 100.
    """
    return score_quality(_measure(roi))


def score_quality(measured: Quality) -> Quality:
    """Give measures their score and, if a gate is closed, its reason."""
    merits = [(gate.merit(measured), gate.reason) for gate in (*GATES, _clipped_gate(measured))]
    reason = next((reason for merit, reason in merits if not merit >= 0), None)
    if reason is not None:
        return replace(measured, reason=reason)
    return replace(measured, score=max(1, round(100 * min(merits)[0])))


def require_quality(roi: PalmRoi) -> Quality:
    """Return a region's quality if it may be used.

    Raises:
        QualityTooLow: it may not; carries the reason of the first gate that is closed.
    """
    return require_usable(assess(roi))


def require_usable(quality: Quality) -> Quality:
    """Return a quality if no gate is closed.

    Raises:
        QualityTooLow: one is; carries the reason of the first.
    """
    if quality.reason is not None:
        raise QualityTooLow(quality.reason)
    return quality


def focus_of(pixels: NDArray[np.float32]) -> float:
    """Return the share of fine detail in a region's texture: 0 without any, 0.5 if very sharp.

    A ratio of two bands of detail: neither light nor contrast nor the skin's own texture
    matters much. Noise counts as detail.
    """
    fine, middle, coarse = (cv2.GaussianBlur(pixels, (0, 0), s) for s in FOCUS_SIGMAS_PX)
    fine_detail = float(np.mean(np.abs(fine - middle)))
    coarse_detail = float(np.mean(np.abs(middle - coarse)))
    return fine_detail / (coarse_detail + FOCUS_FLOOR)


def _measure(roi: PalmRoi) -> Quality:
    """Return all measures, with score 0 and without a reason."""
    return Quality(
        score=0,
        reason=None,
        focus=focus_of(roi.pixels),
        exposure=float(roi.pixels.mean()),
        clipped_share=float(is_clipped(roi.pixels).mean()),
        residual=roi.residual,
        inside_share=roi.inside_share,
        scale_px=roi.scale_px,
    )


def _clipped_gate(quality: Quality) -> Gate:
    """The gate of clipped pixels: too dark or too bright, whichever is nearer."""
    dark = quality.exposure < sum(CODE_BLIND_LEVELS) / 2
    reason = QualityReason.TOO_DARK if dark else QualityReason.TOO_BRIGHT
    return Gate(reason, lambda q: q.clipped_share, CLIPPED_LIMITS)
