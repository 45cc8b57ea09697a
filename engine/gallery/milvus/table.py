"""Rows on Milvus: the schema and every request.

One collection per extractor; in it two partitions per gallery, left and right hands. The index
of vectors is FLAT: graphs and cells lose mated references. A row is

    reference (primary key) · owner · side · born · vector · sealed · coarse
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeVar

from numpy.typing import NDArray
from pymilvus import DataType, MilvusClient
from pymilvus.exceptions import MilvusException

from engine.errors import GalleryFault, GalleryUnreachable

T = TypeVar("T")

NAME: Final = re.compile(r"[a-z0-9]{1,32}")
"""Of a gallery; part of its partitions' names."""

FIELDS: Final = ["reference", "owner", "side", "born", "vector", "sealed", "coarse"]
NEAR_FIELDS: Final = ["reference", "owner", "side", "coarse"]

SEALED_LENGTH: Final = 4096
"""Most characters of an encrypted code."""

STEP_ROWS: Final = 1_000
"""Rows per request."""

INDEX: Final = "FLAT"
METRIC: Final = "IP"


class Level(StrEnum):
    """Consistency of an answer."""

    STRONG = "Strong"
    """Everything acknowledged to any client: waits for the server's next time tick."""
    BOUNDED = "Bounded"
    """Everything older than some seconds."""


@dataclass(frozen=True, slots=True)
class Row:
    """One reference on Milvus.

    Attributes:
        reference: its identifier, 32 hexadecimal digits.
        owner: its group's.
        side: which hand, as an index of ``engine.gallery.rows.HANDS``.
        born: grows with each reference of a group.
        vector: rotated, of unit length.
        sealed: its code, encrypted, base64.
        coarse: its coarse code, encrypted, base64.
    """

    reference: str
    owner: str = field(repr=False)
    side: int
    born: int
    vector: list[float] = field(repr=False)
    sealed: str = field(repr=False)
    coarse: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NearRow:
    """A row near a probe, without its template.

    Attributes:
        reference, owner, side, coarse: as of ``Row``.
        cosines: by the number of the probe, of those that it is among the nearest of.
    """

    reference: str
    owner: str = field(repr=False)
    side: int
    coarse: str = field(repr=False)
    cosines: dict[int, float] = field(default_factory=dict, repr=False)


class MilvusTable:
    """The rows of one gallery, whose name has 1 to 32 lower-case letters and digits."""

    def __init__(self, client: MilvusClient, collection: str, name: str) -> None:
        if NAME.fullmatch(name) is None:
            raise GalleryFault("a gallery's name on Milvus has 1 to 32 letters and digits")
        self._client, self._collection, self._name = client, collection, name
        self._partitions = (f"{name}_left", f"{name}_right")

    def create(self, dimension: int) -> None:
        """Create missing collection, index and partitions; refuse others than expected.

        Raises:
            GalleryFault: the collection is of another dimension, or its index is not FLAT.
        """
        call_server(partial(self._create, dimension))

    def insert(self, rows: Sequence[Row]) -> None:
        """Add rows whose references are not there."""
        for side, partition in enumerate(self._partitions):
            data = [_line(row) for row in rows if row.side == side]
            for start in range(0, len(data), STEP_ROWS):
                piece = data[start : start + STEP_ROWS]
                insert = partial(self._client.insert, self._collection, piece)
                call_server(partial(insert, partition_name=partition))

    def delete(self, rows: Sequence[Row]) -> None:
        """Remove rows."""
        for side, partition in enumerate(self._partitions):
            names = [row.reference for row in rows if row.side == side]
            for start in range(0, len(names), STEP_ROWS):
                ids = names[start : start + STEP_ROWS]
                delete = partial(self._client.delete, self._collection, ids=ids)
                call_server(partial(delete, partition_name=partition))

    def find(
        self, references: Sequence[str], owners: Sequence[str], *, level: Level
    ) -> list[Row]:
        """Return the rows of these references and of these owners, each once."""
        found: dict[str, Row] = {}
        for name, values in (("reference", references), ("owner", owners)):
            for start in range(0, len(values), STEP_ROWS):
                which = _among(name, values[start : start + STEP_ROWS])
                answer = self._query(list(self._partitions), which, FIELDS, level=level)
                found |= {line["reference"]: _row(line) for line in answer}
        return list(found.values())

    def count(self, side: int, *, level: Level) -> int:
        """Return how many rows one side has."""
        partitions = [self._partitions[side]]
        (line,) = self._query(partitions, "", ["count(*)"], level=level)
        return int(line["count(*)"])

    def nearest(
        self, side: int, vectors: NDArray[Any], count: int, *, level: Level
    ) -> list[NearRow]:
        """Return, once, every row among the nearest of at least one vector."""
        answers = call_server(
            lambda: self._client.search(
                self._collection,
                data=vectors.tolist(),
                limit=count,
                anns_field="vector",
                search_params={"metric_type": METRIC, "params": {}},
                output_fields=NEAR_FIELDS,
                partition_names=[self._partitions[side]],
                consistency_level=level.value,
            )
        )
        found: dict[str, NearRow] = {}
        for number, answer in enumerate(answers):
            for line in answer:
                row = NearRow(**{name: line["entity"][name] for name in NEAR_FIELDS})
                found.setdefault(row.reference, row).cosines[number] = line["distance"]
        return list(found.values())

    def all_rows(self) -> Iterator[list[Row]]:
        """Yield all rows in batches, as they are now."""
        for lines in self._iterated(FIELDS):
            yield [_row(line) for line in lines]

    def _iterated(self, wanted: list[str]) -> Iterator[list[dict[str, Any]]]:
        rows = call_server(
            lambda: self._client.query_iterator(
                self._collection,
                batch_size=STEP_ROWS,
                filter='reference >= ""',
                output_fields=wanted,
                partition_names=list(self._partitions),
            )
        )
        try:
            while batch := call_server(rows.next):
                yield batch
        finally:
            rows.close()

    def names(self) -> Iterator[list[tuple[str, str]]]:
        """Yield reference and owner of all rows in batches, as they are now."""
        for lines in self._iterated(["reference", "owner"]):
            yield [(line["reference"], line["owner"]) for line in lines]

    def names_with_other_keys(self, key_length: int) -> list[str]:
        """Return the names of galleries that differ from this one in their last letters."""
        stem = self._name[:-key_length]
        found = call_server(partial(self._client.list_partitions, self._collection))
        names = {partition.rpartition("_")[0] for partition in found}
        alike = [n for n in names if len(n) == len(self._name) and n.startswith(stem)]
        return sorted(set(alike) - {self._name})

    def with_name(self, name: str) -> MilvusTable:
        """Return another gallery of the same collection."""
        return MilvusTable(self._client, self._collection, name)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def drop(self) -> None:
        """Remove the gallery with all its rows, if it exists."""
        for partition in self._partitions:
            call_server(partial(self._drop, partition))

    def _drop(self, partition: str) -> None:
        if self._client.has_partition(self._collection, partition):
            self._client.release_partitions(self._collection, [partition])
            self._client.drop_partition(self._collection, partition)

    def _create(self, dimension: int) -> None:
        client = self._client
        if not client.has_collection(self._collection):
            self._create_collection(dimension)
        self._require_fitting(dimension)
        for partition in self._partitions:
            if not client.has_partition(self._collection, partition):
                client.create_partition(self._collection, partition)
        client.load_partitions(self._collection, list(self._partitions))

    def _create_collection(self, dimension: int) -> None:
        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("reference", DataType.VARCHAR, is_primary=True, max_length=32)
        schema.add_field("owner", DataType.VARCHAR, max_length=32)
        schema.add_field("side", DataType.INT8)
        schema.add_field("born", DataType.INT64)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
        schema.add_field("sealed", DataType.VARCHAR, max_length=SEALED_LENGTH)
        schema.add_field("coarse", DataType.VARCHAR, max_length=SEALED_LENGTH)
        # An iterator reads with the collection's level, whatever it requests itself.
        level = Level.STRONG.value
        self._client.create_collection(self._collection, schema=schema, consistency_level=level)
        index = MilvusClient.prepare_index_params()
        index.add_index("vector", index_type=INDEX, metric_type=METRIC, params={})
        index.add_index("owner", index_type="Trie")
        self._client.create_index(self._collection, index)

    def _require_fitting(self, dimension: int) -> None:
        fields = self._client.describe_collection(self._collection)["fields"]
        vectors = [each for each in fields if each["name"] == "vector"]
        if not vectors or int(vectors[0]["params"]["dim"]) != dimension:
            raise GalleryFault("the collection on Milvus is of another kind or dimension")
        names = self._client.list_indexes(self._collection, field_name="vector")
        kinds = [self._client.describe_index(self._collection, name) for name in names]
        if [(kind["index_type"], kind["metric_type"]) for kind in kinds] != [(INDEX, METRIC)]:
            raise GalleryFault("the collection on Milvus has another index than FLAT")

    def _query(
        self, partitions: list[str], expression: str, wanted: list[str], *, level: Level
    ) -> list[dict[str, Any]]:
        answer: list[dict[str, Any]] = call_server(
            lambda: self._client.query(
                self._collection,
                filter=expression,
                output_fields=wanted,
                partition_names=partitions,
                consistency_level=level.value,
            )
        )
        return answer


def _among(field_name: str, values: Sequence[str]) -> str:
    listed = ", ".join(f'"{value}"' for value in values)
    return f"{field_name} in [{listed}]"


def _line(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in FIELDS}


def _row(line: dict[str, Any]) -> Row:
    return Row(**{name: line[name] for name in FIELDS})


def call_server(question: Callable[[], T]) -> T:
    """Send a request.

    Raises:
        GalleryUnreachable: the server cannot be reached, or refuses.
    """
    try:
        return question()
    except MilvusException as fault:
        raise GalleryUnreachable(
            f"Milvus refused or did not answer a request (code {fault.code})"
        ) from fault
