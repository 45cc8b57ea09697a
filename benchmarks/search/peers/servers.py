"""Vector tables on servers: PostgreSQL with pgvector, and Milvus.

Tables under our names are reused if they have the right number of rows, and kept with a cache.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import psycopg
from psycopg.sql import SQL, Identifier, Literal

from benchmarks.search.peers.graphs import BUILD_EFFORT, GRAPH_EFFORTS, NEIGHBOURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Batches = Callable[[], Iterable[NDArray[np.float32]]]

NO_EFFORT: Final = (0,)

_BUILD_MEMORY: Final = "3GB"

_PGVECTOR_EFFORTS: Final = (128, 512, 1000)
"""1,000 is its maximum."""

_BUILD: Final = SQL(
    "CREATE INDEX IF NOT EXISTS {index} ON {table} USING hnsw (vector vector_ip_ops)"
    f" WITH (m = {NEIGHBOURS}, ef_construction = {BUILD_EFFORT})"
)


class PgvectorPeer:
    """A PostgreSQL table with the extension ``vector``.

    Raises:
        psycopg.Error: no server, or no extension.
    """

    row_bytes, is_server = 0, True

    def __init__(self, dimension: int, url: str, *, graph: bool) -> None:
        self._dimension, self._graph, self._is_cached = dimension, graph, False
        self._connection = psycopg.connect(url, autocommit=True)
        self._table = ""
        try:
            self._run(SQL("CREATE EXTENSION IF NOT EXISTS vector"))
            question = SQL("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            version = self._number(question)
        except psycopg.Error:
            self._connection.close()
            raise
        kind = f"HNSW {NEIGHBOURS}" if graph else "exact"
        self.name = f"pgvector {version} {kind}"
        self.efforts = _PGVECTOR_EFFORTS if graph else NO_EFFORT

    def fill(self, rows: int, batches: Batches, cache: Path | None) -> None:
        """Insert all rows, or reuse the table."""
        self._is_cached = cache is not None
        self._table = _name(rows, cache)
        make = SQL("CREATE TABLE IF NOT EXISTS {table} (row int, vector vector({value}))")
        self._run(make, self._dimension)
        if self._number(SQL("SELECT count(*) FROM {table}")) != rows:
            self._run(SQL("TRUNCATE {table}"))
            self._copy(batches())
        if self._graph:
            self._run(SQL("SET maintenance_work_mem = {value}"), _BUILD_MEMORY)
            self._run(_BUILD)
        self._run(SQL("SET enable_indexscan = {value}"), "on" if self._graph else "off")
        self._run(SQL("SET max_parallel_workers_per_gather = 0"))  # one thread, as all others

    def set_effort(self, effort: int) -> None:
        """Set the effort."""
        if self._graph:
            self._run(SQL("SET hnsw.ef_search = {value}"), effort)

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        question = SQL("SELECT row FROM {table} ORDER BY vector <#> %s::vector LIMIT %s")
        asked = question.format(table=Identifier(self._table))
        found = []
        for probe in probes:
            lines = self._connection.execute(asked, (_text(probe), count)).fetchall()
            found.append(np.array([row for (row,) in lines], np.int64))
        return found

    def close(self) -> None:
        """Close the connection; drop the table unless cached."""
        if self._table and not self._is_cached:
            self._run(SQL("DROP TABLE IF EXISTS {table}"))
        self._connection.close()

    def _copy(self, batches: Iterable[NDArray[np.float32]]) -> None:
        number = 0
        command = SQL("COPY {table} FROM STDIN").format(table=Identifier(self._table))
        with self._connection.cursor() as cursor, cursor.copy(command) as copy:
            for vectors in batches:
                for vector in vectors:
                    copy.write(f"{number}\t{_text(vector)}\n")
                    number += 1
        self._run(SQL("ANALYZE {table}"))

    def _run(self, question: SQL, value: object = None) -> psycopg.Cursor[tuple[Any, ...]]:
        names = {
            "table": Identifier(self._table),
            "index": Identifier(f"{self._table}_hnsw"),
        }
        return self._connection.execute(question.format(**names, value=Literal(value)))

    def _number(self, question: SQL) -> Any:  # noqa: ANN401 - a number, or a version
        line = self._run(question).fetchone()
        return None if line is None else line[0]


def _name(rows: int, cache: Path | None) -> str:
    return f"thenar_bench_{rows}" + (f"_{cache.parent.name}" if cache else "")


def _text(vector: NDArray[np.float32]) -> str:
    return "[" + ",".join(map(str, vector.tolist())) + "]"


class MilvusPeer:
    """A Milvus collection.

    Raises:
        ImportError: pymilvus is not installed.
        OSError: no server.
    """

    row_bytes, is_server = 0, True

    def __init__(self, dimension: int, url: str, *, graph: bool) -> None:
        self._dimension, self._graph, self._is_cached = dimension, graph, False
        self._library: Any = import_module("pymilvus")
        try:
            self._client: Any = self._library.MilvusClient(url)
            version = self._client.get_server_version()
        except self._library.MilvusException as fault:
            raise OSError("the Milvus server cannot be reached") from fault
        kind = f"HNSW {NEIGHBOURS}" if graph else "FLAT"
        self.name = f"Milvus {version} {kind}"
        self.efforts = GRAPH_EFFORTS if graph else NO_EFFORT
        self._parameters: dict[str, int] = {}

    def fill(self, rows: int, batches: Batches, cache: Path | None) -> None:
        """Insert all rows, or reuse the collection."""
        self._is_cached = cache is not None
        self._collection = _name(rows, cache) + ("_graph" if self._graph else "_flat")
        if not self._holds(rows):
            self._make()
            self._insert(batches())
        self._client.load_collection(self._collection)

    def set_effort(self, effort: int) -> None:
        """Set the effort."""
        self._parameters = {"ef": effort} if self._graph else {}

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows."""
        answers = self._client.search(
            self._collection,
            data=probes.tolist(),
            limit=count,
            search_params={"metric_type": "IP", "params": self._parameters},
            consistency_level="Bounded",
        )
        return [np.array([line["id"] for line in answer], np.int64) for answer in answers]

    def close(self) -> None:
        """Close the connection; drop the collection unless cached."""
        if self._is_cached:
            self._client.release_collection(self._collection)
        else:
            self._client.drop_collection(self._collection)
        self._client.close()

    def _holds(self, rows: int) -> bool:
        if not self._client.has_collection(self._collection):
            return False
        held = self._client.get_collection_stats(self._collection)["row_count"]
        return bool(int(held) == rows)

    def _make(self) -> None:
        client, kinds = self._client, self._library.DataType
        client.drop_collection(self._collection)
        schema = self._library.MilvusClient.create_schema(auto_id=False)
        schema.add_field("id", kinds.INT64, is_primary=True)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=self._dimension)
        client.create_collection(self._collection, schema=schema, num_shards=1)
        index = self._library.MilvusClient.prepare_index_params()
        build = {"M": NEIGHBOURS, "efConstruction": BUILD_EFFORT} if self._graph else {}
        kind = "HNSW" if self._graph else "FLAT"
        index.add_index("vector", index_type=kind, metric_type="IP", params=build)
        client.create_index(self._collection, index)

    def _insert(self, batches: Iterable[NDArray[np.float32]]) -> None:
        number = 0
        for vectors in batches:
            lines = [
                {"id": number + place, "vector": vector}
                for place, vector in enumerate(vectors.tolist())
            ]
            self._client.insert(self._collection, lines)
            number += len(lines)
        self._client.flush(self._collection)
