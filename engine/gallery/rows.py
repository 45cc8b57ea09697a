"""The references of one hand as rows of a FAISS index. Exact inner products, no compression.

Not safe for several threads by itself: ``ExactGallery`` holds the lock. All vectors have been
checked before they come here: FAISS would take an infinite or over-long row without a word, and
such a row wins every search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import faiss
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from engine.types import PalmTemplate, Reference, ReferenceId


class Rows:
    """Row ``i`` of the index is the vector of reference ``i`` of the list, always."""

    def __init__(self, dimension: int) -> None:
        self._index = faiss.IndexFlatIP(dimension)
        self._references: list[Reference] = []

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._references)

    def add(self, references: Sequence[Reference]) -> None:
        """Append references."""
        if references:
            self._index.add(_matrix(reference.template for reference in references))
            self._references.extend(references)

    def remove(self, reference_ids: Set[ReferenceId]) -> None:
        """Take references out; the others move up and keep their order."""
        leaving = [
            row
            for row, reference in enumerate(self._references)
            if reference.reference_id in reference_ids
        ]
        if leaving:
            self._index.remove_ids(faiss.IDSelectorBatch(np.array(leaving, np.int64)))
            for row in reversed(leaving):
                del self._references[row]

    def nearest(self, probes: Sequence[PalmTemplate], count: int) -> list[Reference]:
        """Return every reference that is among the ``count`` nearest of at least one probe."""
        wanted = min(count, len(self._references))
        if wanted == 0:
            return []
        # The number of OpenMP threads belongs to the calling thread. More than one would fight
        # with the other requests over the same cores.
        faiss.omp_set_num_threads(1)
        _, rows = self._index.search(_matrix(probes), wanted)
        # FAISS fills up with −1, which would mean the last row to a Python list.
        return [self._references[row] for row in np.unique(rows[rows >= 0])]


def _matrix(
    templates: Iterable[PalmTemplate],
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Stack vectors: shape (templates, dimension), float32."""
    return np.stack([template.vector for template in templates])
