"""Palms by number that fill a gallery. They show speed, not accuracy.

Vectors are mixed from drawn palms' (``densify``); codes are drawn palms' own, some cells
hidden. Their palms of origin are neither enrolled by themselves nor searched for.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.drawn import DrawnTemplates
from benchmarks.datasets.manifest import DatasetFault
from benchmarks.search.population.densify import SyntheticVectors
from engine.parameters import CODE_BYTES, CODE_CELLS

ORIGINS: Final = 1_000
"""Drawn palms that others are made of, at most half of them."""

SHOTS: Final = 3
"""Templates of a palm: two are enrolled, one is the probe."""

HIDDEN: Final = 1 / 64
"""Share of a code's cells."""


LEAST_PALMS: Final = 2 * ORIGINS
"""With fewer, a thousand enrolled palms and more share one code, and rates say nothing."""


def require_enough(drawn: DrawnTemplates) -> None:
    """Raise ``DatasetFault`` if there are fewer than ``LEAST_PALMS``."""
    if len(drawn.codes) < LEAST_PALMS:
        raise DatasetFault(
            f"{len(drawn.codes)} drawn palms are too few: run thenar models templates "
            f"--views {SHOTS} --palms {LEAST_PALMS}, or with more"
        )


def origin_count(drawn: DrawnTemplates) -> int:
    """Return how many drawn palms, the first ones, others are made of."""
    return min(ORIGINS, len(drawn.codes) // 2)


class Fillers:
    """Palms and their pictures by number; a seed gives the same ones.

    Raises:
        DatasetFault: too few drawn palms, or too few templates of each.
    """

    def __init__(self, drawn: DrawnTemplates, seed: int) -> None:
        self._seed, count = seed, origin_count(drawn)
        if count < SHOTS or drawn.codes.shape[1] < SHOTS:
            raise DatasetFault(
                "too few templates: run thenar models templates --views 3 with more palms"
            )
        self._codes = drawn.codes[:count]
        self._vectors = SyntheticVectors(list(drawn.unit_vectors()[:count]), seed)

    def vectors(self, palms: NDArray[np.int64], shot: int) -> NDArray[np.float32]:
        """Return a vector of each palm of a batch, shape (palms, dimension), L2 norm 1."""
        return self._vectors.pictures(palms, shot)

    def codes(self, palms: NDArray[np.int64], shot: int) -> NDArray[np.uint8]:
        """Return a code of each palm of a batch, shape (palms, 512)."""
        named = (self._seed, int(palms[0]))
        origins = np.random.default_rng(named).integers(len(self._codes), size=len(palms))
        rng = np.random.default_rng((*named, shot))
        hidden = rng.random((len(palms), CODE_CELLS**2), np.float32) < HIDDEN
        codes = self._codes[origins, shot].reshape(len(palms), 4, -1)
        shown = codes & ~np.packbits(hidden, axis=1)[:, None]
        return np.asarray(shown.reshape(len(palms), CODE_BYTES), np.uint8)

    def as_json(self) -> dict[str, Any]:
        """Return how vectors were made, and their cosines beside real ones."""
        return self._vectors.as_json()
