"""Who is enrolled and who asks, in the benchmark of searches: mosaics, two references each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from benchmarks.mosaics import Mosaics
from engine.gallery.columns import NAME_BYTES
from engine.types import GroupId, Hand, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from engine.types import ExtractorId

    Codes = NDArray[np.uint8]

REFERENCES: Final = 2
"""Of each palm."""

BATCH_PALMS: Final = 1000
"""Palms that are made at once."""

_ENROLLED_SHOTS: Final = (0, 1)
_SHOWN_SHOT: Final = 2


class People:
    """Palms ``0`` to ``count - 1`` are enrolled: rows ``2 p`` and ``2 p + 1`` are palm ``p``'s.

    Args:
        mosaics: of palms.
        extractor: whose templates the mosaics are of.
        count: a multiple of ``BATCH_PALMS``.
    """

    def __init__(self, mosaics: Mosaics, extractor: ExtractorId, count: int) -> None:
        self._mosaics, self._extractor, self.count = mosaics, extractor, count

    @property
    def rows(self) -> int:
        """How many references are enrolled."""
        return REFERENCES * self.count

    def batches(self) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of all rows, in order."""
        for first in range(0, self.count, BATCH_PALMS):
            palms = np.arange(first, first + BATCH_PALMS)
            shots = [self._mosaics.vectors(palms, shot) for shot in _ENROLLED_SHOTS]
            yield np.stack(shots, axis=1).reshape(REFERENCES * BATCH_PALMS, -1)

    def blocks(self) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float32], Codes]]:
        """Yield names, vectors and codes of all rows, in order."""
        for first in range(0, self.count, BATCH_PALMS):
            rows = range(REFERENCES * first, REFERENCES * (first + BATCH_PALMS))
            names = b"".join(_name_of(row).bytes + group_of(row // 2).bytes for row in rows)
            vectors, codes = self._batch(first)
            yield np.frombuffer(names, np.uint8).reshape(-1, NAME_BYTES), vectors, codes

    def newcomers(self, count: int) -> list[Reference]:
        """Return references of palms that are not enrolled, one each."""
        vectors, codes = self._mosaics.pictures(np.arange(count) + self.count, 0)
        first = self.rows
        return [self._reference(first + 2 * n, vectors[n], codes[n]) for n in range(count)]

    def probes(self, palms: NDArray[np.int64]) -> list[PalmTemplate]:
        """Return one picture of each of these palms, none that was enrolled."""
        vectors, codes = self._mosaics.pictures(palms, _SHOWN_SHOT)
        return [
            PalmTemplate(self._extractor, Hand.LEFT, vector, code)
            for vector, code in zip(vectors, codes, strict=True)
        ]

    def templates(self, first: int) -> list[PalmTemplate]:
        """Return the enrolled templates of ``BATCH_PALMS`` palms, in order."""
        vectors, codes = self._batch(first)
        return [
            PalmTemplate(self._extractor, Hand.LEFT, vector, code)
            for vector, code in zip(vectors, codes, strict=True)
        ]

    def _batch(self, first: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Return the rows of the palms from ``first`` on."""
        palms = np.arange(first, first + BATCH_PALMS)
        shots = [self._mosaics.pictures(palms, shot) for shot in _ENROLLED_SHOTS]
        vectors = np.stack([vectors for vectors, _ in shots], axis=1)
        codes = np.stack([codes for _, codes in shots], axis=1)
        rows = REFERENCES * BATCH_PALMS
        return vectors.reshape(rows, -1), codes.reshape(rows, -1)

    def _reference(
        self, row: int, vector: NDArray[np.float32], code: NDArray[np.uint8]
    ) -> Reference:
        """Return one reference."""
        template = PalmTemplate(self._extractor, Hand.LEFT, vector, code)
        return Reference(_name_of(row), group_of(row // REFERENCES), template)


def _name_of(row: int) -> ReferenceId:
    """Return the name of one reference."""
    return ReferenceId(UUID(int=row, version=4))


def group_of(palm: int) -> GroupId:
    """Return the group of one palm."""
    return GroupId(UUID(int=1 << 40 | palm, version=4))
