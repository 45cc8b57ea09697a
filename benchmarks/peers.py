"""Other searchers of vectors: what a scan of packed rows is measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import faiss
import numpy as np

from engine.gallery.packed_rows import PackedRows
from engine.gallery.packing import Encoder
from engine.gallery.rotation import fixed_rotation
from engine.parameters import PACKED_SEGMENT_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Searcher(Protocol):
    """Vectors that can be searched. Rows are numbered in the order in which they came."""

    @property
    def name(self) -> str:
        """What it is."""
        ...

    @property
    def row_bytes(self) -> int:
        """Octets of a row that a search reads; 0 if it does not read all rows."""
        ...

    def add(self, vectors: Vectors) -> None:
        """Append rows, shape (rows, dimension)."""
        ...

    def nearest(self, probes: Vectors, count: int) -> list[NDArray[np.int64]]:
        """Return the rows that look nearest to each probe, in any order."""
        ...


@dataclass
class FaissIndex:
    """Implements ``Searcher`` by an index of FAISS, on one thread.

    Attributes:
        name: what it is.
        index: empty, by inner product.
        row_bytes: octets of a row that a search reads; 0 if it does not read all rows.
    """

    name: str
    index: faiss.Index
    row_bytes: int

    def add(self, vectors: Vectors) -> None:
        """Append rows. See ``Searcher.add``."""
        faiss.omp_set_num_threads(1)
        if not self.index.is_trained:
            self.index.train(vectors)
        self.index.add(vectors)

    def nearest(self, probes: Vectors, count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows. See ``Searcher.nearest``."""
        faiss.omp_set_num_threads(1)
        _, rows = self.index.search(probes, count)
        return [line[line >= 0] for line in rows]


class PackedScan:
    """Implements ``Searcher`` by our own packed rows.

    Args:
        dimension: of the vectors.
        bits: of a row for each dimension.
        shards: how many threads may share a scan.
    """

    def __init__(self, dimension: int, bits: int, *, shards: int = 1) -> None:
        self.name = f"packed, {bits} bit"
        self.row_bytes = dimension * bits // 8
        self.pool: ThreadPoolExecutor | None = None
        self._rotation = fixed_rotation(dimension)
        encoder = Encoder(dimension, bits)
        self._rows = PackedRows(
            encoder, dimension, bits, shards=shards, segment_rows=PACKED_SEGMENT_ROWS
        )

    def add(self, vectors: Vectors) -> None:
        """Append rows. See ``Searcher.add``."""
        first = len(self._rows)
        self._rows.write(first, vectors @ self._rotation)
        self._rows.show(first + len(vectors))

    def nearest(self, probes: Vectors, count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows. See ``Searcher.nearest``."""
        return self._rows.nearest(probes @ self._rotation, count, self.pool)


def flat(dimension: int) -> FaissIndex:
    """Return FAISS's exact search: the yardstick."""
    return FaissIndex("IndexFlatIP", faiss.IndexFlatIP(dimension), 4 * dimension)


def peers(dimension: int) -> Iterable[FaissIndex]:
    """Yield other searches of FAISS, one at a time."""
    metric = faiss.METRIC_INNER_PRODUCT
    half = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, metric)
    yield FaissIndex("SQ fp16", half, 2 * dimension)
    quantiser = faiss.IndexFlatIP(dimension)
    inverted = faiss.IndexIVFFlat(quantiser, dimension, 1024, metric)
    inverted.nprobe = 128
    yield FaissIndex("IVF 1024, nprobe 128", inverted, 0)
    graph = faiss.IndexHNSWFlat(dimension, 32, metric)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 80, 128
    yield FaissIndex("HNSW 32, efSearch 128", graph, 0)


def searcher_versions() -> dict[str, str]:
    """Return the release of FAISS and the instructions it uses here."""
    level = faiss.SIMDConfig.get_level_name()
    return {"faiss": str(faiss.__version__), "instructions": str(level)}
