"""Enrolled palms and probes, two references each: first drawn palms, then mosaics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from benchmarks.search.population.drawn import DrawnPalms
from benchmarks.search.population.mosaics import Mosaics
from engine.types import GroupId, Hand, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.uint8]

SEED: Final = 20261120

REFERENCES: Final = 2
"""Per palm."""

BATCH_PALMS: Final = 1000

_ENROLLED_SHOTS: Final = (0, 1)
_SHOWN_SHOT: Final = 2


class People:
    """Palms ``0`` to ``count - 1``; rows ``2 p`` and ``2 p + 1`` are palm ``p``'s."""

    def __init__(self, mosaics: Mosaics, drawn: DrawnPalms, count: int) -> None:
        self._mosaics, self._drawn, self.count = mosaics, drawn, count
        self._extractor = drawn.extractor

    @property
    def drawn_count(self) -> int:
        """Number of drawn palms."""
        return min(len(self._drawn), self.count)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._drawn.dimension

    @property
    def rows(self) -> int:
        """Number of references."""
        return REFERENCES * self.count

    def batches(self) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of all rows, in order."""
        for first in range(0, self.count, BATCH_PALMS):
            yield self.rows_of(first)

    def references_of(self, palms: Sequence[int]) -> NDArray[np.float32]:
        """Return enrolled vectors, shape (palms, references, dimension)."""
        each = []
        for palm in palms:  # a mosaic depends on where its batch begins
            place = palm % BATCH_PALMS
            rows = self.rows_of(palm - place)
            each.append(rows[REFERENCES * place : REFERENCES * (place + 1)])
        return np.stack(each)

    def new_references(self, count: int) -> list[Reference]:
        """Return references of palms that are not enrolled, one each."""
        vectors, codes = self._mosaics.pictures(np.arange(count) + self.count, 0)
        first = self.rows
        return [self._reference(first + 2 * n, vectors[n], codes[n]) for n in range(count)]

    def probes(self, palms: NDArray[np.int64]) -> list[PalmTemplate]:
        """Return one picture of each palm that was not enrolled."""
        vectors, codes = self._pictures(palms, _SHOWN_SHOT)
        return [
            PalmTemplate(self._extractor, Hand.LEFT, vector, code)
            for vector, code in zip(vectors, codes, strict=True)
        ]

    def templates(self, first: int) -> list[PalmTemplate]:
        """Return the enrolled templates of one batch, in order."""
        vectors, codes = self._batch(first)
        return [
            PalmTemplate(self._extractor, Hand.LEFT, vector, code)
            for vector, code in zip(vectors, codes, strict=True)
        ]

    def references(self, first: int) -> list[Reference]:
        """Return the references of one batch, in order."""
        rows = range(REFERENCES * first, REFERENCES * (first + BATCH_PALMS))
        return [
            Reference(_name_of(row), group_of(row // REFERENCES), template)
            for row, template in zip(rows, self.templates(first), strict=True)
        ]

    def rows_of(self, first: int) -> NDArray[np.float32]:
        """Return the enrolled vectors of one batch, in order."""
        palms = np.arange(first, first + BATCH_PALMS)
        shots = [self._vectors(palms, shot) for shot in _ENROLLED_SHOTS]
        return np.stack(shots, axis=1).reshape(REFERENCES * BATCH_PALMS, -1)

    def _batch(self, first: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        palms = np.arange(first, first + BATCH_PALMS)
        shots = [self._pictures(palms, shot) for shot in _ENROLLED_SHOTS]
        vectors = np.stack([vectors for vectors, _ in shots], axis=1)
        codes = np.stack([codes for _, codes in shots], axis=1)
        rows = REFERENCES * BATCH_PALMS
        return vectors.reshape(rows, -1), codes.reshape(rows, -1)

    def _pictures(
        self, palms: NDArray[np.int64], shot: int
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        _, codes = self._mosaics.pictures(palms, shot)
        is_drawn = palms < len(self._drawn)
        codes[is_drawn] = self._drawn.codes[palms[is_drawn], shot]
        return self._vectors(palms, shot), codes

    def _vectors(self, palms: NDArray[np.int64], shot: int) -> NDArray[np.float32]:
        vectors = self._mosaics.vectors(palms, shot)
        is_drawn = palms < len(self._drawn)
        vectors[is_drawn] = self._drawn.vectors[palms[is_drawn], shot]
        return vectors

    def _reference(
        self, row: int, vector: NDArray[np.float32], code: NDArray[np.uint8]
    ) -> Reference:
        template = PalmTemplate(self._extractor, Hand.LEFT, vector, code)
        return Reference(_name_of(row), group_of(row // REFERENCES), template)


def _name_of(row: int) -> ReferenceId:
    return ReferenceId(UUID(int=row, version=4))


def group_of(palm: int) -> GroupId:
    """Return the group of a palm."""
    return GroupId(UUID(int=1 << 40 | palm, version=4))
