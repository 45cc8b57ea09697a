"""The references of one hand as rows of a FAISS index: exact inner products, no compression.

Not thread-safe: ``ExactGallery`` locks. Vectors are validated before: FAISS accepts infinite or
over-long rows, and such a row wins every search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import faiss
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.types import PalmTemplate, Reference, ReferenceId


class ExactIndex:
    """Row ``i`` of the index is the vector of reference ``i`` of the list.

    Rows are unordered: the last one moves into the place of a removed one.
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
        """Remove those references that are here."""
        for reference_id in reference_ids:
            row = self._rows.pop(reference_id, None)
            if row is not None:
                self._close(row)

    def nearest(self, probes: Sequence[PalmTemplate], count: int) -> list[Reference]:
        """Return every reference among the ``count`` nearest of at least one probe."""
        wanted = min(count, len(self._references))
        if wanted == 0:
            return []
        # Set per calling thread: more threads would compete with other requests for cores.
        faiss.omp_set_num_threads(1)
        _, rows = self._index.search(_matrix(probes), wanted)
        # FAISS pads with −1, which would index the last row.
        return [self._references[row] for row in np.unique(rows[rows >= 0])]

    def _close(self, row: int) -> None:
        """Move the last row into a row, and overwrite its last place.

        FAISS's own removal moves all rows that follow: milliseconds at 20,000.
        """
        last = self._references.pop()
        if row < len(self._references):
            self._references[row] = last
            self._rows[last.reference_id] = row
        index = self._index
        # Not kept: the memory moves when rows are added.
        vectors = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
        vectors = vectors.reshape(index.ntotal, index.d)
        vectors[row] = vectors[-1]
        vectors[-1] = 0
        index.ntotal -= 1  # the next row that is added is written there


def _matrix(
    templates: Iterable[PalmTemplate],
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.stack([template.vector for template in templates])
