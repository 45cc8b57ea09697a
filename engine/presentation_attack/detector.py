"""Presentation attack detection. No detector is implemented yet: every sample passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from engine.types import PalmSample


class AttackDetector(Protocol):
    """Presentation attack detection on one sample."""

    @property
    def attack_species(self) -> tuple[str, ...]:
        """Artefacts that it was tested against; empty if none."""
        ...

    def require_bona_fide(self, sample: PalmSample) -> None:
        """Raise ``PresentationAttack`` if the sample shows an artefact."""
        ...


class NoAttackDetection:
    """Accepts every sample, printed palms too."""

    attack_species: Final[tuple[str, ...]] = ()

    def require_bona_fide(self, sample: PalmSample) -> None:
        """Accept the sample."""
