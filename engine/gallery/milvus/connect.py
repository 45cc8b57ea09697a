"""Opens a gallery on a Milvus server or cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from engine.errors import GalleryUnreachable
from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.milvus.gallery import MilvusGallery
from engine.gallery.milvus.positions import GalleryPosition
from engine.gallery.milvus.stored import MilvusStored
from engine.gallery.milvus.table import MilvusTable

if TYPE_CHECKING:
    from engine.types import ExtractorId


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
