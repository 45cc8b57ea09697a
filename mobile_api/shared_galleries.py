"""Galleries on a Milvus server or cluster, shared by all processes of a service.

Each is named by the operator and by the key that turns its vectors, in one collection for each
extractor. Vectors are turned and codes encrypted here: the server never sees a template.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from engine.errors import GalleryFault
from engine.gallery.turned import TurnedGallery
from engine.types import ExtractorId
from mobile_api.kept import Shelved
from mobile_api.shelf import Shelf
from mobile_api.storage.key_ring import KeyId
from mobile_api.vault import Vault

if TYPE_CHECKING:
    from engine.gallery.milvus.stored import MilvusStored

SCHEMES: Final = {"milvus": "http", "milvus+tls": "https"}

MOST_NAME: Final = 24
"""Letters of a gallery's name: those of a key follow."""

RETIRE_S: Final = 60.0
"""How long a gallery of an old key stays: other processes may still search it."""

Turns = Callable[[str], AbstractContextManager[None]]
"""Keeps all other processes out of a piece of work."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where galleries are.

    Attributes:
        server: address of the server, with user and password if it wants them.
        name: of the operator's galleries.
    """

    server: str
    name: str

    def __repr__(self) -> str:
        """Show the name alone: the address may hold a password."""
        return f"Address(name={self.name!r})"

    @classmethod
    def read(cls, url: str) -> Address:
        """Read ``milvus://HOST:PORT/NAME``, or ``milvus+tls``.

        Raises:
            GalleryFault: it is none.
        """
        place = urlsplit(url)
        name = place.path.strip("/")
        is_name = name.isascii() and name.isalnum() and name == name.lower()
        if place.scheme not in SCHEMES or not place.hostname or not is_name:
            raise GalleryFault("the gallery's address is milvus://HOST:PORT/NAME")
        if len(name) > MOST_NAME:
            raise GalleryFault(f"a gallery's name has {MOST_NAME} letters and digits at most")
        return cls(f"{SCHEMES[place.scheme]}://{place.netloc}", name)


def open_shared(
    address: Address, extractor: ExtractorId, dimension: int, vault: Vault, key_id: KeyId
) -> MilvusStored:
    """Open the gallery of an extractor and a key.

    Raises:
        GalleryFault: the server cannot be reached, holds something else under this name, or the
            extra ``milvus`` is not installed.
        SealBroken: the key is not on the ring.
    """
    try:
        connect = import_module("engine.gallery.milvus.connect")
    except ModuleNotFoundError as fault:
        raise GalleryFault("pymilvus is missing: pip install 'thenar[milvus]'") from fault
    key = vault.derived(key_id, f"milvus/{extractor}")
    name = address.name + key_id
    opened: MilvusStored = connect.open_stored(
        address.server, name, extractor, dimension, key=key
    )
    return opened


class SharedGalleries:
    """Implements ``mobile_api.gallery.Galleries`` on Milvus.

    Args:
        address: where they are.
        vault: knows the keys.
        extractor: whose templates.
        dimension: of their vectors.
        turns: among the processes that share the database.
        shelf: of this process: keeps its list of accounts that must not come back.

    Attributes:
        erasures: that list.
    """

    def __init__(
        self,
        address: Address,
        vault: Vault,
        extractor: ExtractorId,
        *,
        dimension: int,
        turns: Turns,
        shelf: Shelf,
    ) -> None:
        self._address, self._vault = address, vault
        self._extractor, self._dimension = extractor, dimension
        self._turns, self._shelf = turns, shelf
        self._opened: dict[KeyId, MilvusStored] = {}
        self._retiring: list[threading.Timer] = []
        self.erasures = shelf.erasures
        shelf.enter()

    def open(self, key_id: KeyId) -> Shelved:
        """Open the gallery of a key, empty if there is none.

        Raises:
            GalleryFault: the server cannot be reached or holds something else.
            SealBroken: the key is not on the ring.
        """
        turner = self._vault.turner(key_id, self._extractor, self._dimension)
        stored = open_shared(
            self._address, self._extractor, self._dimension, self._vault, key_id
        )
        self._opened[key_id] = stored
        stored.remove_others(self._vault.key_ids)  # none of those is served by anybody
        return Shelved(TurnedGallery(stored, turner), stored, key_id)

    def turn(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Keep every other process out of the gallery of a key."""
        return self._turns(f"{self._address.name}/{self._extractor}/{key_id}")

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key, once no other process searches it any more."""
        timer = threading.Timer(RETIRE_S, self._remove, [key_id])
        timer.daemon = True
        self._retiring.append(timer)
        timer.start()

    def close(self) -> None:
        """Remove at once what is to be removed, and let go of everything."""
        for timer in self._retiring:
            if timer.is_alive():
                timer.cancel()
                self._remove(*timer.args)
        for stored in self._opened.values():
            stored.close()
        self._shelf.leave()

    def _remove(self, key_id: KeyId) -> None:
        """Remove the gallery of a key; what cannot be is removed by the next renewal."""
        stored = self._opened.pop(key_id, None)  # the timer may have been at it already
        if stored is not None:
            with suppress(GalleryFault):
                stored.remove()
