"""Make a million palms from some hundred, for searches only.

Vectors come from ``densify``. Codes are mosaics: each quarter is from another palm's template;
further pictures take it from other pictures of that palm, with some cells hidden. Few of a
hundred million mosaics of a hundred palms share two quarters.

They show speed and losses of a search, not accuracy: shifted quarters lower mated scores, and
codes are independent of vectors, which makes losses likelier.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.search.population.densify import SyntheticVectors, mix
from engine.parameters import CODE_BYTES, CODE_CELLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

QUARTERS: Final = 4
SHOTS: Final = 3
"""Templates of a palm: two are enrolled, one is the probe."""

CODE_NOISE: Final = 1 / 64
"""Share of a code's cells that are hidden."""


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates of one extractor, both hands in one frame.

    Attributes:
        vectors: shape (count, 384), float32.
        codes: shape (count, 512), uint8.
        palms: rows of each palm.
    """

    vectors: NDArray[np.float32] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)
    palms: tuple[NDArray[np.int64], ...] = field(repr=False)


def group_templates(
    vectors: NDArray[np.float32], codes: NDArray[np.uint8], names: Sequence[str]
) -> Templates:
    """Group templates by palm; leave out palms with fewer than three."""
    labels = np.array(names)
    rows = (np.flatnonzero(labels == name) for name in np.unique(labels))
    palms = tuple(of_palm for of_palm in rows if len(of_palm) >= SHOTS)
    if len(palms) < QUARTERS:
        raise DatasetFault("mosaics need at least four palms with three templates each")
    return Templates(vectors, codes, palms)


class Mosaics:
    """Palms and their pictures by number; a seed gives the same ones."""

    def __init__(self, templates: Templates, seed: int) -> None:
        self._seed = seed
        self._shot_count = min(len(palm) for palm in templates.palms)
        rows = np.stack([palm[: self._shot_count] for palm in templates.palms])
        self._vectors = SyntheticVectors(
            [templates.vectors[of_palm] for of_palm in templates.palms], seed
        )
        half = CODE_CELLS // 2
        octets = templates.codes[rows].reshape(*rows.shape, 4, 2, half, 2, -1)
        self._octets = np.ascontiguousarray(np.moveaxis(octets, (3, 5), (2, 3)))

    def pictures(
        self, palms: NDArray[np.int64], shot: int
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Return one picture of each palm.

        Args:
            palms: consecutive numbers.
            shot: which picture; uses other templates where there are enough.

        Returns:
            Vectors, shape (palms, 384), float32, L2 norm 1, and codes, shape (palms, 512).
        """
        parts, shots = self._choose_quarters(palms, shot)
        quarter = np.arange(QUARTERS)
        at = parts, shots, quarter[None] // 2, quarter[None] % 2
        rng = np.random.default_rng((self._seed, shot, int(palms[0])))
        return self.vectors(palms, shot), self._codes(self._octets[at], rng)

    def vectors(self, palms: NDArray[np.int64], shot: int) -> NDArray[np.float32]:
        """Return the vectors of ``pictures``."""
        return self._vectors.pictures(palms, shot)

    def as_json(self) -> dict[str, Any]:
        """Return how vectors were made, and their cosines beside real ones."""
        return self._vectors.as_json()

    def _choose_quarters(
        self, palms: NDArray[np.int64], shot: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        seeds = palms[:, None] * QUARTERS + np.arange(QUARTERS)[None]
        mixed = mix(seeds.astype(np.uint64) + np.uint64((self._seed << 40) % 2**64))
        parts = mixed % np.uint64(len(self._octets))
        first = (mixed >> np.uint64(32)) + np.uint64(shot)
        return parts.astype(np.int64), (first % np.uint64(self._shot_count)).astype(np.int64)

    @staticmethod
    def _codes(quarters: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
        """Join quarters, shape (count, 4, planes, 16, 2), into codes."""
        count, half = len(quarters), CODE_CELLS // 2
        whole = quarters.reshape(count, 2, 2, 4, half, -1)
        codes = whole.transpose(0, 3, 1, 4, 2, 5).reshape(count, 4, -1)
        blind = np.packbits(rng.random((count, CODE_CELLS**2), np.float32) < CODE_NOISE, axis=1)
        return (codes & ~blind[:, None]).reshape(count, CODE_BYTES)
