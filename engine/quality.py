"""Quality of a region of interest. ISO/IEC 29794-1.

Gates are in the order in which people see their messages. Limits lie where the development sets
end: a refused good palm costs more than an accepted bad one, which then does not match.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from engine import parameters as tuned
from engine.errors import QualityTooLow
from engine.types import Quality, QualityReason


@dataclass(frozen=True, slots=True)
class Gate:
    """A quality check; closed at ``limits[0]``, perfect at ``limits[1]``."""

    reason: QualityReason
    measure: Callable[[Quality], float]
    limits: tuple[float, float]

    def merit(self, quality: Quality) -> float:
        """Return 1 if perfect, 0 at the limit, less or NaN if closed."""
        closes, perfect = self.limits
        return min((self.measure(quality) - closes) / (perfect - closes), 1.0)


GATES: Final = (
    Gate(QualityReason.OUT_OF_FRAME, lambda q: q.inside_share, tuned.QUALITY_INSIDE),
    Gate(QualityReason.TOO_SMALL, lambda q: q.scale_px, tuned.QUALITY_SCALE_PX),
    Gate(QualityReason.BAD_POSE, lambda q: q.residual, tuned.QUALITY_RESIDUAL),
    Gate(QualityReason.TOO_DARK, lambda q: q.exposure, tuned.QUALITY_DARK),
    Gate(QualityReason.TOO_BRIGHT, lambda q: q.exposure, tuned.QUALITY_BRIGHT),
    Gate(QualityReason.TOO_BLURRED, lambda q: q.focus, tuned.QUALITY_FOCUS),
    Gate(QualityReason.TOO_DARK, lambda q: q.noise, tuned.QUALITY_NOISE),
    Gate(QualityReason.TOO_BLURRED, lambda q: q.texture, tuned.QUALITY_TEXTURE),
)
"""All gates but that of clipped pixels, whose reason depends on the exposure."""

CLIPPED_LIMITS: Final = tuned.QUALITY_CLIPPED


def score_quality(measured: Quality) -> Quality:
    """Add the score and the reason to measures."""
    merits = [(gate.merit(measured), gate.reason) for gate in (*GATES, _clipped_gate(measured))]
    reason = next((reason for merit, reason in merits if not merit >= 0), None)
    if reason is not None:
        return replace(measured, reason=reason)
    return replace(measured, score=max(1, round(100 * min(merits)[0])))


def require_usable(quality: Quality) -> Quality:
    """Return the quality. Raises ``QualityTooLow`` if a gate is closed."""
    if quality.reason is not None:
        raise QualityTooLow(quality.reason)
    return quality


def _clipped_gate(quality: Quality) -> Gate:
    dark = quality.exposure < sum(tuned.CODE_BLIND_LEVELS) / 2
    reason = QualityReason.TOO_DARK if dark else QualityReason.TOO_BRIGHT
    return Gate(reason, lambda q: q.clipped_share, CLIPPED_LIMITS)
