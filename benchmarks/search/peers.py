"""Alternatives to the gallery: FAISS's exact scan, its graph and its RaBitQ codes."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import time_calls
from benchmarks.search.population import REFERENCES, People
from engine.parameters import SHORT_LIST_ROWS

Vectors = NDArray[np.float32]

NEIGHBOURS: Final = 32
BUILD_EFFORT: Final = 80
GRAPH_EFFORTS: Final = (128, 512, 2048)
"""Candidates that a graph search keeps; at least the hundred that are wanted."""

BATCHED: Final = 64
"""Probes of a batch."""

REFINED: Final = (4, 16)
"""Rows compared by their vectors, for each one wanted."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A FAISS index by inner product, and the parameter that trades time for losses.

    Attributes:
        efforts: values of the parameter; a larger one loses fewer mates.
    """

    name: str
    index: faiss.Index = field(repr=False)
    parameter: str = ""
    efforts: tuple[int, ...] = (0,)

    def fill(self, people: People) -> None:
        """Insert all rows, on all cores; the first batch trains."""
        faiss.omp_set_num_threads(os.cpu_count() or 1)
        for vectors in people.batches():
            if not self.index.is_trained:
                self.index.train(vectors)
            self.index.add(vectors)

    def nearest(self, probes: Vectors, effort: int = 0) -> NDArray[np.int64]:
        """Return the short list of each probe, on one thread."""
        faiss.omp_set_num_threads(1)
        if self.parameter:
            faiss.ParameterSpace().set_index_parameter(self.index, self.parameter, effort)
        _, rows = self.index.search(probes, SHORT_LIST_ROWS)
        return np.asarray(rows, np.int64)


def flat(dimension: int) -> Peer:
    """Return the exact scan, the baseline."""
    return Peer("IndexFlatIP", faiss.IndexFlatIP(dimension))


def graph(dimension: int) -> Peer:
    """Return the graph (HNSW)."""
    index = faiss.IndexHNSWFlat(dimension, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_EFFORT
    return Peer(f"HNSW {NEIGHBOURS}", index, "efSearch", GRAPH_EFFORTS)


def rabitq(dimension: int) -> Peer:
    """Return one bit a number, refined by half-precision vectors."""
    described = "RaBitQfs,Refine(SQfp16)"
    index = faiss.index_factory(dimension, described, faiss.METRIC_INNER_PRODUCT)
    return Peer("RaBitQ", index, "k_factor_rf", REFINED)


def approximate_peers(dimension: int) -> Iterator[Peer]:
    """Yield the others, empty, one in memory at a time."""
    for make in (graph, rabitq):
        yield make(dimension)


def measure_peer(
    peer: Peer, probes: Vectors, palms: NDArray[np.int64], runs: int
) -> Iterator[dict[str, Any]]:
    """Time searches, single and batched, at each effort; count mates not in the short list.

    Args:
        peer: filled.
        probes: of mates that an exact scan has in its short list, shape (mates, dimension).
        palms: of the probes.
        runs: timed searches.
    """
    for effort in peer.efforts:
        found = peer.nearest(probes, effort) // REFERENCES
        lost = int((found != palms[:, None]).all(axis=1).sum())
        one = partial(_nearest, peer, probes, 1, effort)
        batch = time_calls(partial(_nearest, peer, probes, BATCHED, effort), 3)
        yield {
            "method": f"{peer.name}, {effort}" if peer.parameter else peer.name,
            "family": peer.name,
            **time_calls(one, runs).as_json(),
            "batched_cpu_ms": round(batch.cpu_ms / BATCHED, 4),
            "mates_looked_for": len(probes),
            "mates_lost": lost,
        }


def _nearest(peer: Peer, probes: Vectors, count: int, effort: int, number: int) -> None:
    first = number * count % max(len(probes) - count, 1)
    peer.nearest(np.resize(probes[first : first + count], (count, probes.shape[1])), effort)


def searcher_versions() -> dict[str, str]:
    """Return the version of FAISS and its instruction set here."""
    level = faiss.SIMDConfig.get_level_name()
    return {"faiss": str(faiss.__version__), "instructions": str(level)}
