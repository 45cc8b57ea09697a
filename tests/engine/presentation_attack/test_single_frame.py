"""presentation_attack: the default says that nothing is checked."""

from __future__ import annotations

import numpy as np

from engine.presentation_attack.detector import AttackDetector, NoAttackDetection
from engine.types import PalmSample


def test_no_detection_claims_no_species():
    """Whoever reads the settings must not believe that printed palms are found."""
    detector: AttackDetector = NoAttackDetection()

    detector.require_bona_fide(PalmSample(np.zeros((2, 2, 3), np.uint8)))

    assert detector.attack_species == ()
