"""Drawn palms with three templates each, of one extractor."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.datasets.drawn import EXTRACTOR, read_drawn
from benchmarks.datasets.manifest import DatasetFault, PalmSet
from benchmarks.search.population.mosaics import SHOTS, Templates

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.types import ExtractorId

PARENT_PALMS: Final = 1_000


@dataclass(frozen=True, slots=True)
class DrawnPalms:
    """Drawn palms.

    Attributes:
        vectors: shape (palms, pictures, dimension), float32, L2 norm 1; at least 3 pictures.
        codes: shape (palms, pictures, code bytes), uint8.
    """

    extractor: ExtractorId
    vectors: NDArray[np.float32] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)

    def __len__(self) -> int:
        """Count the palms."""
        return len(self.codes)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[2])

    def parents(self) -> Templates:
        """Return the templates for mosaics."""
        few = min(len(self), PARENT_PALMS)
        pictures = self.vectors.shape[1]
        rows = np.arange(few * pictures).reshape(few, pictures)
        vectors, codes = self.vectors[:few], self.codes[:few]
        return Templates(
            vectors.reshape(-1, self.dimension), codes.reshape(few * pictures, -1), tuple(rows)
        )


def read_palms(folder: Path) -> tuple[DrawnPalms, PalmSet]:
    """Read the output of ``thenar models templates``; return it and its digest."""
    drawn = read_drawn(folder)
    vectors = drawn.unit_vectors()
    if vectors.shape[1] < SHOTS:
        raise DatasetFault(
            "each palm needs three templates: run thenar models templates --views 3"
        )
    digest = hashlib.sha256(drawn.codes.tobytes() + vectors.tobytes()).hexdigest()
    palms = DrawnPalms(EXTRACTOR, vectors, drawn.codes)
    return palms, PalmSet(folder.resolve().name, digest, ())
