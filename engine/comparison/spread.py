"""Tells whether a match is spread over the palm.

A mixture of palms, enrolled as one, matches each of them in a part. There, 8 of 16 tiles are no
nearer than those of another palm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.comparison.compare import place_codes
from engine.comparison.kernels.shifts import TILES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import PalmTemplate

HALF: Final = TILES // 2


def worse_half(probe: PalmTemplate, references: Sequence[PalmTemplate]) -> float:
    """Return the mean distance of the tiles that match least, half of all.

    Each tile's distance is the mean over references of one palm, at least one.

    Returns:
        0 to 1; about 0.28 for one palm, 0.40 for a mixture with it.
    """
    distances = place_codes(probe.code, np.stack([each.code for each in references]))
    return float(np.sort(distances.mean(axis=0))[-HALF:].mean())
