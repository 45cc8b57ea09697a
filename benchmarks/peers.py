"""Other searchers of vectors: what a scan of packed rows is measured against."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

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


_FIRST_ROWS: Final = 100_000


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
        is_graph: takes long to build.
    """

    name: str
    index: faiss.Index
    row_bytes: int
    is_graph: bool = False

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


class HnswlibIndex:
    """Implements ``Searcher`` by hnswlib, on one thread. Needs hnswlib.

    Args:
        dimension: of the vectors.
    """

    module = "hnswlib"
    name, row_bytes, is_graph = "hnswlib 32, ef 128", 0, True

    def __init__(self, dimension: int) -> None:
        self._index = import_module(self.module).Index("ip", dimension)
        self._index.init_index(_FIRST_ROWS, ef_construction=80, M=32)
        self._index.set_num_threads(1)
        self._count = 0

    def add(self, vectors: Vectors) -> None:
        """Append rows. See ``Searcher.add``."""
        self._count += len(vectors)
        if self._count > self._index.get_max_elements():
            self._index.resize_index(2 * self._count)
        self._index.add_items(vectors)

    def nearest(self, probes: Vectors, count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows. See ``Searcher.nearest``."""
        self._index.set_ef(max(128, count))
        rows, _ = self._index.knn_query(probes, min(count, self._count), num_threads=1)
        return list(rows.astype(np.int64))


class UsearchIndex:
    """Implements ``Searcher`` by usearch, on one thread. Needs usearch.

    Args:
        dimension: of the vectors.
    """

    module = "usearch"
    name, row_bytes, is_graph = "usearch 32, ef 128", 0, True

    def __init__(self, dimension: int) -> None:
        self._index = import_module("usearch.index").Index(
            ndim=dimension, metric="ip", connectivity=32, expansion_add=80, expansion_search=128
        )
        self._count = 0

    def add(self, vectors: Vectors) -> None:
        """Append rows. See ``Searcher.add``."""
        names = np.arange(self._count, self._count + len(vectors))
        self._index.add(names, vectors, threads=1)
        self._count += len(vectors)

    def nearest(self, probes: Vectors, count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows. See ``Searcher.nearest``."""
        found = self._index.search(probes, min(count, self._count), threads=1)
        return list(np.atleast_2d(found.keys).astype(np.int64))


class Peer(Searcher, Protocol):
    """Another search of vectors."""

    @property
    def is_graph(self) -> bool:
        """Whether it takes long to build."""
        ...


def peers(dimension: int) -> Iterable[Peer]:
    """Yield other searches, one at a time: those of FAISS, and what else is installed."""
    metric = faiss.METRIC_INNER_PRODUCT
    half = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, metric)
    yield FaissIndex("SQ fp16", half, 2 * dimension)
    quantiser = faiss.IndexFlatIP(dimension)
    inverted = faiss.IndexIVFFlat(quantiser, dimension, 1024, metric)
    inverted.nprobe = 128
    yield FaissIndex("IVF 1024, nprobe 128", inverted, 0)
    graph = faiss.IndexHNSWFlat(dimension, 32, metric)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 80, 128
    yield FaissIndex("HNSW 32, efSearch 128", graph, 0, is_graph=True)
    for kind in (HnswlibIndex, UsearchIndex):
        with suppress(ImportError):  # not installed, or not whole
            yield kind(dimension)


def searcher_versions() -> dict[str, str]:
    """Return the release of FAISS and the instructions it uses here."""
    level = faiss.SIMDConfig.get_level_name()
    return {"faiss": str(faiss.__version__), "instructions": str(level)}
