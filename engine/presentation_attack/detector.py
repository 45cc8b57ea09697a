"""Is the sample a living palm or an artefact that shows one? ISO/IEC 30107-1.

A port with one honest implementation: nothing is detected yet, and that is what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from engine.types import PalmSample


class AttackDetector(Protocol):
    """Presentation attack detection on one sample."""

    @property
    def attack_species(self) -> tuple[str, ...]:
        """Which kinds of artefact it was shown to detect; empty if none."""
        ...

    def require_bona_fide(self, sample: PalmSample) -> None:
        """Raise ``PresentationAttack`` if the sample shows an artefact."""
        ...


class NoAttackDetection:
    """Lets every sample pass: a printed palm is taken for a palm."""

    attack_species: Final[tuple[str, ...]] = ()

    def require_bona_fide(self, sample: PalmSample) -> None:
        """Look at nothing and raise nothing."""
