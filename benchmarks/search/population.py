"""Enrolled palms and probes, two references each: first drawn palms, then fillers.

Fillers show speed, not accuracy. Their vectors are mixed from drawn palms'; codes are drawn
palms' own, some cells hidden. Their palms of origin are neither enrolled by themselves nor
searched for.

A million vectors from some hundred palms have the cosines of real ones: a new palm is the mean
of all palms plus a random mixture of differences from it. Its pictures add a real picture's
difference from its palm. Both are scaled so that mated and non-mated cosines have nearly the
quantiles of real ones.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import EXTRACTOR, DatasetFault, DrawnTemplates
from engine.parameters import CODE_CELLS
from engine.types import GroupId, Hand, PalmTemplate, Reference, ReferenceId

Vectors = NDArray[np.float32]

_PARENTS: Final = 8
"""Palms that a new one is mixed from."""

_SPREAD: Final = 0.95
"""Of palms around their mean; 1: as measured. Fitted with the next one to the quantiles of the
cosines of 1,000 drawn palms: at most 0.03 off between the 5th and the 95th."""

_UNEVENNESS: Final = 0.45
"""Standard deviation of the logarithm of a picture's change from its palm."""


class SyntheticVectors:
    """Palms by number, and pictures of them; a seed gives the same palms.

    A batch of palms is named by its first number.

    Args:
        palms: vectors of real palms, each (pictures, dimension), at least two pictures.
        seed: of the palms.
    """

    def __init__(self, palms: Sequence[Vectors], seed: int) -> None:
        self._seed = seed
        vectors = [palm.astype(np.float64) for palm in palms]
        centres = np.stack([palm.mean(axis=0) for palm in vectors])
        # A mean of n pictures keeps 1/n of their variance.
        apart = [(v - v.mean(axis=0)) * (len(v) / (len(v) - 1)) ** 0.5 for v in vectors]
        self._middle = centres.mean(axis=0).astype(np.float32)
        self._directions = (centres - centres.mean(axis=0)).astype(np.float32)
        self._changes = np.concatenate(apart).astype(np.float32)

    def pictures(self, palms: NDArray[np.int64], shot: int) -> Vectors:
        """Return one picture of each palm, shape (palms, dimension), L2 norm 1."""
        rng = self._rng(palms, shot)
        which = rng.integers(len(self._changes), size=len(palms))
        sizes = np.exp(_UNEVENNESS * rng.standard_normal(len(palms)))
        sizes *= rng.choice((-1.0, 1.0), len(palms))
        vectors = self._middle + _SPREAD * self._mixture(palms)
        vectors = vectors + self._changes[which] * sizes[:, None].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors, np.float32)

    def _mixture(self, palms: NDArray[np.int64]) -> Vectors:
        rng, shape = self._rng(palms), (len(palms), _PARENTS)
        parents = rng.integers(len(self._directions), size=shape)
        weights = rng.standard_normal(shape, np.float32)
        weights /= np.linalg.norm(weights, axis=1, keepdims=True)
        together = np.einsum("np,npd->nd", weights, self._directions[parents])
        return np.asarray(together, np.float32)

    def _rng(self, palms: NDArray[np.int64], *more: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, int(palms[0]), *more))


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
        """Return the codes of each palm of a batch, shape (palms, 1024)."""
        named = (self._seed, int(palms[0]))
        origins = np.random.default_rng(named).integers(len(self._codes), size=len(palms))
        rng = np.random.default_rng((*named, shot))
        hidden = rng.random((len(palms), CODE_CELLS**2), np.float32) < HIDDEN
        codes = self._codes[origins, shot].reshape(len(palms), -1, CODE_CELLS**2 // 8)
        shown = codes & ~np.packbits(hidden, axis=1)[:, None]
        return np.asarray(shown.reshape(len(palms), -1), np.uint8)


SEED: Final = 20261120

REFERENCES: Final = 2
"""Per palm."""

BATCH_PALMS: Final = 1000

_ENROLLED_SHOTS: Final = (0, 1)
_SHOWN_SHOT: Final = 2


class People:
    """Palms ``0`` to ``count - 1``; rows ``2 p`` and ``2 p + 1`` are palm ``p``'s.

    The first are drawn ones, but for those that fillers are made of.
    """

    def __init__(self, fillers: Fillers, drawn: DrawnTemplates, count: int) -> None:
        first = origin_count(drawn)
        self._fillers, self.count = fillers, count
        self._drawn_vectors = drawn.unit_vectors()[first:][:count]
        self._drawn_codes = drawn.codes[first:][:count]

    @property
    def drawn_count(self) -> int:
        """Number of drawn palms."""
        return len(self._drawn_codes)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._drawn_vectors.shape[2])

    @property
    def rows(self) -> int:
        """Number of references."""
        return REFERENCES * self.count

    def batches(self) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of all rows, in order."""
        for first in range(0, self.count, BATCH_PALMS):
            yield self.rows_of(first)

    def references_of(self, palms: Sequence[int]) -> NDArray[np.float32]:
        """Return enrolled vectors of drawn palms, shape (palms, references, dimension)."""
        shots = [self._drawn_vectors[list(palms), shot] for shot in _ENROLLED_SHOTS]
        return np.stack(shots, axis=1)

    def new_references(self, count: int) -> list[Reference]:
        """Return references of palms that are not enrolled, one each."""
        palms = np.arange(count) + self.count
        templates = self._templates(palms, 0)
        rows = range(self.rows, self.rows + REFERENCES * count, REFERENCES)
        return [_reference(*each) for each in zip(rows, templates, strict=True)]

    def probes(self, palms: NDArray[np.int64]) -> list[PalmTemplate]:
        """Return one picture of each palm that was not enrolled."""
        return self._templates(palms, _SHOWN_SHOT)

    def references(self, first: int) -> list[Reference]:
        """Return the references of one batch, in order."""
        palms = np.arange(first, first + BATCH_PALMS)
        shots = zip(*(self._templates(palms, shot) for shot in _ENROLLED_SHOTS), strict=True)
        templates = [template for of_palm in shots for template in of_palm]
        return [
            _reference(row, template)
            for row, template in enumerate(templates, REFERENCES * first)
        ]

    def rows_of(self, first: int) -> NDArray[np.float32]:
        """Return the enrolled vectors of one batch, in order."""
        palms = np.arange(first, first + BATCH_PALMS)
        shots = [self._vectors(palms, shot) for shot in _ENROLLED_SHOTS]
        return np.stack(shots, axis=1).reshape(REFERENCES * BATCH_PALMS, -1)

    def _templates(self, palms: NDArray[np.int64], shot: int) -> list[PalmTemplate]:
        codes, is_drawn = self._fillers.codes(palms, shot), palms < self.drawn_count
        codes[is_drawn] = self._drawn_codes[palms[is_drawn], shot]
        return [
            PalmTemplate(EXTRACTOR, Hand.LEFT, vector, code)
            for vector, code in zip(self._vectors(palms, shot), codes, strict=True)
        ]

    def _vectors(self, palms: NDArray[np.int64], shot: int) -> NDArray[np.float32]:
        vectors, is_drawn = self._fillers.vectors(palms, shot), palms < self.drawn_count
        vectors[is_drawn] = self._drawn_vectors[palms[is_drawn], shot]
        return vectors


def _reference(row: int, template: PalmTemplate) -> Reference:
    name = ReferenceId(UUID(int=row, version=4))
    return Reference(name, group_of(row // REFERENCES), template)


def group_of(palm: int) -> GroupId:
    """Return the group of a palm."""
    return GroupId(UUID(int=1 << 40 | palm, version=4))
