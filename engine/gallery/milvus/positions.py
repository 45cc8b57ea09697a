"""The last database change in each gallery on Milvus, stored beside the galleries.

Several processes follow one database and share a gallery; each learns here what the others
did. No position means an interrupted write: compare the gallery with the database. All methods
raise ``GalleryFault`` if the server cannot be reached.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pymilvus import DataType, MilvusClient

from engine.gallery.milvus.table import Level, call_server
from engine.gallery.port import UNKNOWN_POSITION, Position

if TYPE_CHECKING:
    from typing import Any

COLLECTION: Final = "thenar_places"

_VECTOR: Final = [1.0, 0.0]
"""Every Milvus collection needs a vector field."""


class GalleryPosition:
    """The position of one gallery, named ``COLLECTION/NAME``."""

    def __init__(self, client: MilvusClient, gallery: str) -> None:
        self._client, self._gallery = client, gallery

    def create(self) -> None:
        """Create the collection if missing."""
        call_server(self._create)

    def read(self) -> Position:
        """Return the last change, or ``UNKNOWN_POSITION``."""
        lines: list[dict[str, Any]] = call_server(
            lambda: self._client.query(
                COLLECTION,
                filter=f'gallery == "{self._gallery}"',
                output_fields=["sequence", "mark"],
                consistency_level=Level.STRONG.value,
            )
        )
        if len(lines) != 1:
            return UNKNOWN_POSITION
        return Position(int(lines[0]["sequence"]), bytes.fromhex(lines[0]["mark"]))

    def write(self, position: Position) -> None:
        """Record the last change that is in the gallery."""
        line = {
            "gallery": self._gallery,
            "sequence": position.sequence,
            "mark": position.change_id.hex(),
            "vector": _VECTOR,
        }
        call_server(partial(self._client.upsert, COLLECTION, [line]))

    def with_name(self, name: str) -> GalleryPosition:
        """Return the position of another gallery of the same collection."""
        return GalleryPosition(self._client, f"{self._gallery.rpartition('/')[0]}/{name}")

    def clear(self) -> None:
        """Remove the position."""
        call_server(partial(self._client.delete, COLLECTION, ids=[self._gallery]))

    def _create(self) -> None:
        client = self._client
        if not client.has_collection(COLLECTION):
            schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("gallery", DataType.VARCHAR, is_primary=True, max_length=128)
            schema.add_field("sequence", DataType.INT64)
            schema.add_field("mark", DataType.VARCHAR, max_length=128)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=len(_VECTOR))
            client.create_collection(COLLECTION, schema=schema, consistency_level="Strong")
            index = MilvusClient.prepare_index_params()
            index.add_index("vector", index_type="FLAT", metric_type="IP", params={})
            client.create_index(COLLECTION, index)
        client.load_collection(COLLECTION)
