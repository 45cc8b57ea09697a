"""A gallery on Milvus that follows a numbered sequence of changes, as ``StoredGallery`` does.

Milvus stores rows and position; this process has no files. Several processes share the gallery:
the caller makes sure that only one applies changes, the others read the position.

A row that does not decrypt is never returned, and reported by ``pop_damaged``.

The last database change in each gallery is stored beside it, so each process learns what the
others did. No position means an interrupted write: compare the gallery with the database. All
methods raise ``GalleryFault`` if the server cannot be reached.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from random import SystemRandom
from time import monotonic
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pymilvus import DataType, MilvusClient
from pymilvus.exceptions import MilvusException

from engine.errors import GalleryFault, GalleryUnreachable
from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.durability.state import StoredState
from engine.gallery.milvus.gallery import MilvusGallery
from engine.gallery.milvus.table import Level, MilvusTable, call_server
from engine.gallery.port import UNKNOWN_POSITION, Position
from engine.types import ExtractorId, ReferenceId

CHECK_INTERVAL_S: Final = 5.0
"""Pause between two checks of the server."""


class MilvusStored(MilvusGallery):
    """Implements ``Gallery``, and the position up to which it follows changes.

    Attributes:
        position: of the last database change in the gallery, or unknown.
    """

    def __init__(
        self,
        table: MilvusTable,
        position: GalleryPosition,
        extractor: ExtractorId,
        dimension: int,
        cipher: GalleryCipher,
    ) -> None:
        super().__init__(table, extractor, dimension, cipher)
        position.create()
        self._position = position
        self.position = UNKNOWN_POSITION
        self._damage_count, self._rows = 0, 0
        self._fault, self._next_check = "", monotonic()

    def refresh(self) -> None:
        """Read the position, then strongly for a while: another process may have made changes.

        One that died in a change left the position as it was.
        """
        self.position = self._position.read()
        self._changed_at = monotonic()

    def reach(self, position: Position) -> None:
        """Record the database change up to which all changes were made."""
        if position != self.position:
            self._position.write(position)
            self.position = position

    def reset(self) -> None:
        """Clear the position and remove undecryptable rows; the caller compares the rest."""
        self._position.clear()
        self.position = UNKNOWN_POSITION
        self._damage_count += self.remove_damaged()

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        names = b"".join(
            UUID(hex=reference).bytes + UUID(hex=owner).bytes
            for lines in self._table.names()
            for reference, owner in lines
        )
        return np.frombuffer(names, np.uint8).reshape(-1, 32)

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return bool(self._table.find([reference_id.hex], [], level=Level.STRONG))

    def pop_damaged(self) -> list[ReferenceId]:
        """Return and clear references whose row did not decrypt: erase and enrol them again."""
        suspects = self.pop_undecryptable()
        self._damage_count += len(suspects)
        return suspects

    def verify(self) -> int:
        """Read every row; return how many do not decrypt, for ``pop_damaged``."""
        return sum(not self.is_sound(row) for rows in self._table.all_rows() for row in rows)

    def maintain(self, erasure_lag_s: float) -> None:
        """Check the server now and then. Milvus itself limits how long it keeps erased rows."""
        if monotonic() < self._next_check or erasure_lag_s < 0:
            return
        self._next_check = monotonic() + CHECK_INTERVAL_S * SystemRandom().uniform(0.8, 1.2)
        try:
            self._rows, self._fault = len(self), ""
        except GalleryFault as fault:
            self._fault = fault.code

    def checkpoint(self) -> None:
        """Return at once: a gallery on Milvus has no files."""

    def other_keys(self, letters: int) -> list[str]:
        """Return the keys (last ``letters`` of a name) of galleries otherwise named alike."""
        return [name[-letters:] for name in self._table.names_with_other_keys(letters)]

    def remove_keys(self, keys: Collection[str]) -> None:
        """Remove the galleries of the same name with these keys, all of one length.

        Positions go first: an empty gallery with a position would look up to date.
        """
        for name in (
            self._table.names_with_other_keys(len(next(iter(keys), ""))) if keys else []
        ):
            if name.endswith(tuple(keys)):
                self._position.with_name(name).clear()
                self._table.with_name(name).drop()

    def remove(self) -> None:
        """Remove the gallery from the server for good."""
        self._position.clear()
        self._table.drop()

    def close(self) -> None:
        """Close the connection."""
        self._table.close()

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
        return StoredState(
            rows=self._rows,
            sequence=self.position.sequence,
            disk_bytes=0,
            erasure_age_s=0.0,
            damage_count=self._damage_count,
            fault=self._fault,
            is_reachable=not self._fault,
        )


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


def open_gallery(
    address: str, name: str, extractor: ExtractorId, dimension: int, *, key: bytes
) -> MilvusGallery:
    """Open a gallery; create what is missing.

    ``address`` is http or https, optionally with ``user:password@``; ``name`` has 1 to 32
    lower-case letters and digits; ``key`` has 32 bytes, for this gallery only. Raises
    ``GalleryFault`` if the server cannot be reached or holds something else under this name.
    """
    return MilvusGallery(
        open_table(address, name, extractor),
        extractor,
        dimension,
        GalleryCipher(key, name.encode()),
    )


def open_table(address: str, name: str, extractor: ExtractorId) -> MilvusTable:
    """Open the rows of a gallery without creating them. Raises as ``open_gallery``."""
    return MilvusTable(_connected(address), _collection(extractor), name)


def open_stored(
    address: str, name: str, extractor: ExtractorId, dimension: int, *, key: bytes
) -> MilvusStored:
    """Open a gallery that follows a database. See ``open_gallery``."""
    client, collection = _connected(address), _collection(extractor)
    return MilvusStored(
        MilvusTable(client, collection, name),
        GalleryPosition(client, f"{collection}/{name}"),
        extractor,
        dimension,
        GalleryCipher(key, name.encode()),
    )


def _collection(extractor: ExtractorId) -> str:
    """Return the name; 0.2.0 had other fields in ``thenar_``."""
    return "thenar2_" + re.sub(r"[^a-zA-Z0-9]", "_", extractor)


def _connected(address: str) -> MilvusClient:
    try:
        return MilvusClient(address)
    except MilvusException as fault:
        raise GalleryUnreachable("the Milvus server cannot be reached") from fault
