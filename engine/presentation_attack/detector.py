"""Presentation attack detection on a single picture. Sessions: ``judging``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from engine.errors import PresentationAttack
from engine.parameters import TRACE_LIMITS
from engine.presentation_attack.traces import TRACES, trace_measures

if TYPE_CHECKING:
    from engine.types import PalmLandmarks, PalmSample


class AttackDetector(Protocol):
    """Presentation attack detection on one sample."""

    @property
    def attack_species(self) -> tuple[str, ...]:
        """Artefacts that it was tested against; empty if none."""
        ...

    def require_bona_fide(self, sample: PalmSample, landmarks: PalmLandmarks) -> None:
        """Raise ``PresentationAttack`` if the sample shows an artefact."""
        ...


class NoAttackDetection:
    """Accepts every sample, printed palms too."""

    attack_species: Final[tuple[str, ...]] = ()

    def require_bona_fide(self, sample: PalmSample, landmarks: PalmLandmarks) -> None:
        """Accept the sample."""


class TraceDetector:
    """Refuses palms with the periodic patterns of screens and halftone prints.

    A fine screen, an inkjet print or a distant artefact has none that a camera sees.
    """

    attack_species: Final = ("coarse screen", "halftone print")

    def require_bona_fide(self, sample: PalmSample, landmarks: PalmLandmarks) -> None:
        """Raise ``PresentationAttack`` if the palm has such a pattern."""
        measures = trace_measures(sample.pixels, landmarks.points)
        limits = np.array([TRACE_LIMITS[name] for name in TRACES])
        if np.any(measures > limits):
            raise PresentationAttack("the picture has the pattern of a screen or a print")
