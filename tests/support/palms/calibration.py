"""A calibration of the fake extractor: non-mated palms score 0.61, rarely above 0.66."""

from engine.decision.calibration import Calibration, NonMatedScores
from tests.support.palms.templates import FAKE_EXTRACTOR

FAKE_CALIBRATION = Calibration(
    FAKE_EXTRACTOR,
    (
        NonMatedScores(
            data="made-up numbers",
            palms=100,
            pictures=1000,
            comparisons=100_000,
            rates=(1.0, 0.5, 1e-2, 1e-3),
            scores=(0.50, 0.61, 0.64, 0.65),
            scale=0.004,
            shape=0.0,
        ),
    ),
)
