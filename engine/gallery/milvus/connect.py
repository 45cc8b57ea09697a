"""Opens a gallery on a Milvus server or cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from engine.errors import GalleryFault
from engine.gallery.disk.seal import Seal
from engine.gallery.milvus.gallery import MilvusGallery
from engine.gallery.milvus.table import MilvusTable

if TYPE_CHECKING:
    from engine.types import ExtractorId


def open_gallery(
    address: str, name: str, extractor: ExtractorId, dimension: int, *, key: bytes
) -> MilvusGallery:
    """Open a gallery; what is missing of it is made.

    Args:
        address: ``http://host:port``, or https; user and password may stand before the host.
        name: of the gallery: 1 to 32 lower-case letters and digits.
        extractor: whose templates it holds.
        dimension: of their vectors.
        key: 32 bytes, of this gallery: its codes are encrypted under it.

    Raises:
        GalleryFault: the server cannot be reached or holds something else under this name.
    """
    return MilvusGallery(
        open_table(address, name, extractor),
        extractor,
        dimension,
        Seal(key, name.encode()),
    )


def open_table(address: str, name: str, extractor: ExtractorId) -> MilvusTable:
    """Open the rows of a gallery, whether they are there or not.

    Raises:
        GalleryFault: the server cannot be reached, or the name is none.
    """
    try:
        client = MilvusClient(address)
    except MilvusException as fault:
        raise GalleryFault("the Milvus server cannot be reached") from fault
    return MilvusTable(client, "thenar_" + re.sub(r"[^a-zA-Z0-9]", "_", extractor), name)
