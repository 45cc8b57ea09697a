"""Enrolled palms and probes, two references each: first drawn palms, then fillers."""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.drawn import EXTRACTOR, DrawnTemplates
from benchmarks.search.population.fillers import Fillers, origin_count
from engine.types import GroupId, Hand, PalmTemplate, Reference, ReferenceId

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
    return Reference(_name_of(row), group_of(row // REFERENCES), template)


def _name_of(row: int) -> ReferenceId:
    return ReferenceId(UUID(int=row, version=4))


def group_of(palm: int) -> GroupId:
    """Return the group of a palm."""
    return GroupId(UUID(int=1 << 40 | palm, version=4))
