"""Small unwanted movements: tremor, drift, the sway of a phone in a hand."""

import numpy as np

from models.synthesis.anatomy import F64

_WAVES = 5


class Wander:
    """A smooth random path: a few waves of one band of frequencies."""

    def __init__(
        self, rng: np.random.Generator, amplitude: F64, low_hz: float, high_hz: float
    ) -> None:
        """``amplitude``: standard deviation of each coordinate."""
        shape = (_WAVES, len(amplitude))
        self._frequency = 2 * np.pi * rng.uniform(low_hz, high_hz, shape)
        self._phase = rng.uniform(0, 2 * np.pi, shape)
        self._amplitude = amplitude * np.sqrt(2 / _WAVES)

    def at(self, time_s: float) -> F64:
        """Return the path's place at a time."""
        waves = np.sin(self._frequency * time_s + self._phase)
        place: F64 = self._amplitude * waves.sum(axis=0)
        return place


def eased(share: float) -> float:
    """Return how far a movement of people is: slow, fast, slow."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)
