"""Graphs and cells in this process: FAISS, hnswlib and usearch.

Built on all cores and cached in a file, as a million rows take minutes; searched by one.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import faiss
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Batches = Callable[[], Iterable[NDArray[np.float32]]]

NEIGHBOURS: Final = 32
BUILD_EFFORT: Final = 80
GRAPH_EFFORTS: Final = (128, 512, 2048)
"""Candidates that a graph search keeps; at least the hundred that are wanted."""

CELLS: Final = 1024
CELL_EFFORTS: Final = (16, 128, 512)

_TRAINING_ROWS: Final = 100_000


class FaissPeer:
    """A FAISS index."""

    row_bytes, is_server = 0, False

    def __init__(
        self, name: str, index: faiss.Index, effort_parameter: str, efforts: tuple[int, ...]
    ) -> None:
        self.name, self._index, self._effort_parameter, self.efforts = (
            name,
            index,
            effort_parameter,
            efforts,
        )

    def fill(self, rows: int, batches: Batches, cache: Path | None) -> None:
        """Insert all rows, or load the cached index."""
        file = cache and cache.with_suffix(f".{self._effort_parameter}")
        if file and file.exists():
            self._index = faiss.read_index(str(file))
            return
        faiss.omp_set_num_threads(os.cpu_count() or 1)
        for vectors in _trained(self._index, batches()):
            self._index.add(vectors)
        if file:
            faiss.write_index(self._index, str(file))

    def set_effort(self, effort: int) -> None:
        """Set the effort."""
        faiss.ParameterSpace().set_index_parameter(self._index, self._effort_parameter, effort)

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        faiss.omp_set_num_threads(1)
        _, rows = self._index.search(probes, count)
        return [line[line >= 0] for line in rows]

    def close(self) -> None:
        """Do nothing."""


def _trained(
    index: faiss.Index, batches: Iterable[NDArray[np.float32]]
) -> Iterable[NDArray[np.float32]]:
    waiting: list[NDArray[np.float32]] = []
    for vectors in batches:
        waiting.append(vectors)
        if sum(map(len, waiting)) >= _TRAINING_ROWS:
            yield _ready(index, waiting)
            waiting = []
    if waiting:
        yield _ready(index, waiting)


def _ready(index: faiss.Index, waiting: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    rows = np.concatenate(waiting)
    if not index.is_trained:
        index.train(rows)
    return rows


def faiss_graph(dimension: int) -> FaissPeer:
    """Return FAISS's graph (HNSW)."""
    index = faiss.IndexHNSWFlat(dimension, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_EFFORT
    return FaissPeer(f"FAISS HNSW {NEIGHBOURS}", index, "efSearch", GRAPH_EFFORTS)


def faiss_cells(dimension: int) -> FaissPeer:
    """Return FAISS's cells (IVF)."""
    metric = faiss.METRIC_INNER_PRODUCT
    index = faiss.index_factory(dimension, f"IVF{CELLS},Flat", metric)
    return FaissPeer(f"FAISS IVF {CELLS}", index, "nprobe", CELL_EFFORTS)


class HnswlibPeer:
    """An hnswlib index."""

    row_bytes, is_server = 0, False
    name, efforts = f"hnswlib {NEIGHBOURS}", GRAPH_EFFORTS

    def __init__(self, dimension: int) -> None:
        self._index: Any = import_module("hnswlib").Index("ip", dimension)

    def fill(self, rows: int, batches: Batches, cache: Path | None) -> None:
        """Insert all rows, or load the cached index."""
        file = cache and cache.with_suffix(".hnswlib")
        if file and file.exists():
            self._index.load_index(str(file), max_elements=rows)
            return
        self._index.init_index(rows, ef_construction=BUILD_EFFORT, M=NEIGHBOURS)
        for vectors in batches():
            self._index.add_items(vectors, num_threads=os.cpu_count() or 1)
        if file:
            self._index.save_index(str(file))

    def set_effort(self, effort: int) -> None:
        """Set the effort."""
        self._index.set_ef(effort)

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        wanted = min(count, self._index.get_current_count())
        rows, _ = self._index.knn_query(probes, wanted, num_threads=1)
        return list(rows.astype(np.int64))

    def close(self) -> None:
        """Do nothing."""


class UsearchPeer:
    """A usearch index."""

    row_bytes, is_server = 0, False
    name, efforts = f"usearch {NEIGHBOURS}", GRAPH_EFFORTS

    def __init__(self, dimension: int) -> None:
        self._index: Any = import_module("usearch.index").Index(
            ndim=dimension,
            metric="ip",
            dtype="f32",
            connectivity=NEIGHBOURS,
            expansion_add=BUILD_EFFORT,
        )

    def fill(self, rows: int, batches: Batches, cache: Path | None) -> None:
        """Insert all rows, or load the cached index."""
        file = cache and cache.with_suffix(".usearch")
        if file and file.exists():
            self._index.load(str(file))
            return
        for vectors in batches():
            names = np.arange(len(self._index), len(self._index) + len(vectors))
            self._index.add(names, vectors, threads=os.cpu_count() or 1)
        if file:
            self._index.save(str(file))

    def set_effort(self, effort: int) -> None:
        """Set the effort."""
        self._index.expansion_search = effort

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        found = self._index.search(probes, min(count, len(self._index)), threads=1)
        return list(np.atleast_2d(found.keys).astype(np.int64))

    def close(self) -> None:
        """Do nothing."""
