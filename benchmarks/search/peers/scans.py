"""Searchers that read every row: FAISS's exact search and our packed rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import faiss
import numpy as np

from engine.gallery.protection.rotation import fixed_rotation
from engine.gallery.search.packed_index import PackedIndex
from engine.gallery.search.pq_layout import Encoder
from engine.parameters import PACKED_SEGMENT_ROWS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray

_BATCH_THRESHOLD: Final = 20
"""Probes from which FAISS multiplies matrices: with the default of 1.15 it never does, and a
batch takes eighteen times as long.
"""

_SINGLE_PROBE_THRESHOLD: Final = faiss.cvar.distance_compute_blas_threshold
"""FAISS's default, for fewer: with the other one a single probe takes twice as long."""


@dataclass
class FaissScan:
    """A FAISS index that reads all rows, on one thread.

    Attributes:
        index: empty, by inner product.
    """

    name: str
    index: faiss.Index
    row_bytes: int

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Append rows."""
        faiss.omp_set_num_threads(1)
        if not self.index.is_trained:
            self.index.train(vectors)
        self.index.add(vectors)

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        faiss.omp_set_num_threads(1)
        is_batch = len(probes) >= _BATCH_THRESHOLD
        faiss.cvar.distance_compute_blas_threshold = (
            _BATCH_THRESHOLD if is_batch else _SINGLE_PROBE_THRESHOLD
        )
        _, rows = self.index.search(probes, count)
        return [line[line >= 0] for line in rows]


class PackedScan:
    """Our packed rows."""

    def __init__(self, dimension: int, bits: int, *, shards: int = 1) -> None:
        self.name = f"packed, {bits} bit"
        self.row_bytes = dimension * bits // 8
        self.pool: ThreadPoolExecutor | None = None
        self._rotation = fixed_rotation(dimension)
        encoder = Encoder(dimension, bits)
        self._rows = PackedIndex(
            encoder, dimension, bits, shards=shards, segment_rows=PACKED_SEGMENT_ROWS
        )

    def add(self, vectors: NDArray[np.float32]) -> None:
        """Append rows."""
        first = len(self._rows)
        self._rows.write(first, vectors @ self._rotation)
        self._rows.show(first + len(vectors))

    def fill(self, packed: NDArray[np.uint8]) -> None:
        """Load packed rows, shape (rows, row_bytes), uint8."""
        self._rows.fill(packed)

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        return self._rows.nearest(probes @ self._rotation, count, self.pool)


def flat(dimension: int) -> FaissScan:
    """Return FAISS's exact search, the baseline."""
    return FaissScan("IndexFlatIP", faiss.IndexFlatIP(dimension), 4 * dimension)


def half_precision(dimension: int) -> FaissScan:
    """Return FAISS's scan of half-precision rows."""
    kind = faiss.ScalarQuantizer.QT_fp16
    index = faiss.IndexScalarQuantizer(dimension, kind, faiss.METRIC_INNER_PRODUCT)
    return FaissScan("SQ fp16", index, 2 * dimension)


def searcher_versions() -> dict[str, str]:
    """Return the version of FAISS and its instruction set here."""
    level = faiss.SIMDConfig.get_level_name()
    return {"faiss": str(faiss.__version__), "instructions": str(level)}
