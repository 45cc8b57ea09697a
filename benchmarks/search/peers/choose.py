"""Choose the peers that are installed or whose server has an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import psycopg

from benchmarks.search.peers.graphs import HnswlibPeer, UsearchPeer, faiss_cells, faiss_graph
from benchmarks.search.peers.servers import MilvusPeer, PgvectorPeer

if TYPE_CHECKING:
    from benchmarks.search.options import Servers
    from benchmarks.search.peers.searcher import Peer


@dataclass(frozen=True, slots=True)
class SkippedPeer:
    """A peer that is not measured, and why."""

    name: str
    why: str


def peers(dimension: int, servers: Servers) -> Iterator[Peer | SkippedPeer]:
    """Yield empty peers, one at a time."""
    yield faiss_cells(dimension)
    yield faiss_graph(dimension)
    yield _try_peer("hnswlib", partial(HnswlibPeer, dimension))
    yield _try_peer("usearch", partial(UsearchPeer, dimension))
    for graph in (False, True):
        yield _on_server("pgvector", PgvectorPeer, dimension, servers.pgvector, graph=graph)
    for graph in (False, True):
        yield _on_server("Milvus", MilvusPeer, dimension, servers.milvus, graph=graph)


def _try_peer(name: str, make: Callable[[], Peer]) -> Peer | SkippedPeer:
    try:
        return make()
    except ImportError:
        return SkippedPeer(name, "not installed, or not whole")
    except (OSError, psycopg.Error):
        return SkippedPeer(name, "its server is not there, or lacks what is needed")


def _on_server(
    name: str, kind: Callable[..., Peer], dimension: int, url: str | None, *, graph: bool
) -> Peer | SkippedPeer:
    full = f"{name} {'graph' if graph else 'exact'}"
    if url is None:
        return SkippedPeer(full, "no server was named")
    return _try_peer(full, partial(kind, dimension, url, graph=graph))
