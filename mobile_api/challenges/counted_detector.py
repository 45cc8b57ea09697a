"""Counts what a detector says of sessions."""

from __future__ import annotations

from collections.abc import Sequence

from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import (
    Frame,
    Observation,
    SessionDetector,
    Verdict,
)
from mobile_api.observability.metrics import Metrics


class CountedDetector:
    """Wraps a detector with metrics."""

    def __init__(self, detector: SessionDetector, metrics: Metrics) -> None:
        self._detector, self._metrics = detector, metrics

    @property
    def attack_species(self) -> tuple[str, ...]:
        """Artefacts that it was tested against."""
        return self._detector.attack_species

    def observe(self, frame: Frame, previous: Observation | None = None) -> Observation:
        """Reduce a frame, given the one before it."""
        return self._detector.observe(frame, previous)

    def judge(
        self,
        challenge: Challenge,
        steps: Sequence[Sequence[Observation]],
        answered_s: Sequence[float] | None = None,
    ) -> Verdict:
        """Judge a session, and count the outcome."""
        verdict = self._detector.judge(challenge, steps, answered_s)
        self._metrics.count_challenge(verdict.outcome, verdict.reason or "")
        return verdict
