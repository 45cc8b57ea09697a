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
    from collections.abc import Iterable, Sequence

    from engine.types import PalmTemplate, Reference, ReferenceId


class Rows:
    """Row ``i`` of the index is the vector of reference ``i`` of the list, always.

    Rows are in no order: the last one moves into the place of one that leaves.
    """

    def __init__(self, dimension: int) -> None:
        self._index = faiss.IndexFlatIP(dimension)
        self._references: list[Reference] = []
        self._rows: dict[ReferenceId, int] = {}

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._references)

    def add(self, references: Sequence[Reference]) -> None:
        """Append references."""
        if references:
            self._index.add(_matrix(reference.template for reference in references))
            first = len(self._references)
            self._references.extend(references)
            self._rows.update((r.reference_id, first + n) for n, r in enumerate(references))

    def remove(self, reference_ids: Iterable[ReferenceId]) -> None:
        """Take out those references that are here."""
        for reference_id in reference_ids:
            row = self._rows.pop(reference_id, None)
            if row is not None:
                self._close(row)

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

    def _close(self, row: int) -> None:
        """Move the last row into a row, and overwrite its last place.

        FAISS's own removal of one row moves all that follow: milliseconds at 20,000.
        """
        last = self._references.pop()
        if row < len(self._references):
            self._references[row] = last
            self._rows[last.reference_id] = row
        index = self._index
        # Taken anew each time: the memory moves when rows are added.
        vectors = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
        vectors = vectors.reshape(index.ntotal, index.d)
        vectors[row] = vectors[-1]
        vectors[-1] = 0
        index.ntotal -= 1  # the next row that is added is written there


def _matrix(
    templates: Iterable[PalmTemplate],
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Stack vectors: shape (templates, dimension), float32."""
    return np.stack([template.vector for template in templates])
