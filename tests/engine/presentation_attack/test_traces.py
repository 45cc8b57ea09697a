"""traces: what screens and halftone prints leave in a single picture."""

import numpy as np
import pytest

from engine.errors import PresentationAttack
from engine.presentation_attack.traces import require_no_traces
from engine.types import Hand, PalmLandmarks, PalmSample
from tests.support.palms.hand_models import open_palm

SIDE_PX = 480


def palm(
    grid_px: float | None = None, strength: float = 12.0
) -> tuple[PalmSample, PalmLandmarks]:
    """Noise of all sizes where a palm is seen, behind a tilted grid of a screen."""
    rng = np.random.default_rng(2)
    level = 150 + 10 * rng.standard_normal((SIDE_PX, SIDE_PX, 3))
    if grid_px is not None:
        y, x = np.mgrid[:SIDE_PX, :SIDE_PX]
        level += strength * np.cos(2 * np.pi * (0.94 * x + 0.34 * y) / grid_px)[..., None]
    points = (open_palm() * (SIDE_PX / 224)).astype(np.float32)
    pixels = np.clip(level, 0, 255).astype(np.uint8)
    return PalmSample(pixels), PalmLandmarks(points, Hand.LEFT, 1.0)


def test_a_palm_without_a_pattern_passes():
    """Noise has no peak in its spectrum."""
    require_no_traces(*palm())


@pytest.mark.parametrize("grid_px", [2.7, 4.1, 7.3])
def test_the_grid_of_a_screen_is_refused(grid_px):
    """As a coarse screen shows it to a camera."""
    with pytest.raises(PresentationAttack):
        require_no_traces(*palm(grid_px))
