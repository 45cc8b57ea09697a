"""The requests of a gallery on Milvus, without a server."""

from __future__ import annotations

from typing import Any

import pytest

from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.milvus.stored import GalleryPosition, MilvusStored
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR


class Server:
    """A server that notes what is removed: client, and rows of a gallery."""

    def __init__(self) -> None:
        self.removed: list[str] = []

    def has_collection(self, _name: str) -> bool:
        """Every collection is there."""
        return True

    def load_collection(self, _name: str) -> None:
        """Nothing to load."""

    def delete(self, _collection: str, ids: list[str]) -> None:
        """Note whose place goes."""
        self.removed += [f"place {name}" for name in ids]


class Rows:
    """The rows of a gallery on that server."""

    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name

    def create(self, _dimension: int) -> None:
        """Nothing to make."""

    def names_with_other_keys(self, _key_length: int) -> list[str]:
        """Two of other keys are there."""
        return ["palmskey1", "palmskey2"]

    def with_name(self, name: str) -> Rows:
        """The rows of one of those."""
        return Rows(self._server, name)

    def drop(self) -> None:
        """Note whose rows go."""
        self._server.removed.append(f"rows {self._name}")


@pytest.mark.parametrize(
    ("keys", "removed"),
    [(["key1", "key3"], ["place thenar_fake/palmskey1", "rows palmskey1"]), ([], [])],
)
def test_a_gallery_that_is_removed_leaves_no_place(keys: list[str], removed: list[str]) -> None:
    """Were its key to come back, as from a backup, the empty gallery would seem up to date.

    No key is the end of every name, and removes nothing.
    """
    server: Any = Server()
    rows: Any = Rows(server, "palmskey3")
    position = GalleryPosition(server, "thenar_fake/palmskey3")
    cipher = GalleryCipher(bytes(32), b"name")
    stored = MilvusStored(rows, position, FAKE_EXTRACTOR, FAKE_DIMENSION, cipher)

    stored.remove_keys(keys)

    assert server.removed == removed
    assert stored.other_keys(4) == ["key1", "key2"]
