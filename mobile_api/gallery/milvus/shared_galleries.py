"""Galleries on a Milvus server or cluster, shared by all processes of a service.

Each is named by the operator and by the key that turns its vectors, in one collection for each
extractor. Vectors are turned and codes encrypted here: the server never sees a template.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from engine.errors import GalleryFault
from engine.gallery.protection.rotated_gallery import TurnedGallery
from engine.types import ExtractorId
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.key_ring import KEY_ID_BYTES, KeyId
from mobile_api.storage.transaction import Storage

if TYPE_CHECKING:
    from engine.gallery.milvus.stored import MilvusStored

LOGGER: Final = logging.getLogger("thenar.mobile")

KEY_ID_LENGTH: Final = 2 * KEY_ID_BYTES
"""Of a gallery's name on the server, the last ones: its key's."""

SCHEMES: Final = {"milvus": "http", "milvus+tls": "https"}

MAX_NAME_LENGTH: Final = 24
"""Letters of a gallery's name: those of a key follow."""

RETIRE_S: Final = 60.0
"""How long a gallery of an old key stays: other processes may still search it."""


@dataclass(frozen=True, slots=True)
class OtherProcesses:
    """The other processes that share the galleries, on this machine or another one.

    Attributes:
        turns: keeps them out of a piece of work.
        keys_in_use: names the keys that something in the database is sealed under.
        retire_s: how long they may still search a gallery of an old key.
    """

    lock: Callable[[str], AbstractContextManager[None]]
    keys_in_use: Callable[[], Collection[str]]
    retire_s: float = RETIRE_S


@dataclass(frozen=True, slots=True)
class MilvusAddress:
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
    def read(cls, url: str) -> MilvusAddress:
        """Read ``milvus://HOST:PORT/NAME``, or ``milvus+tls``.

        Raises:
            GalleryFault: it is none.
        """
        place = urlsplit(url)
        name = place.path.strip("/")
        is_name = name.isascii() and name.isalnum() and name == name.lower()
        if place.scheme not in SCHEMES or not place.hostname or not is_name:
            raise GalleryFault("the gallery's address is milvus://HOST:PORT/NAME")
        if len(name) > MAX_NAME_LENGTH:
            raise GalleryFault(
                f"a gallery's name has {MAX_NAME_LENGTH} letters and digits at most"
            )
        return cls(f"{SCHEMES[place.scheme]}://{place.netloc}", name)


def shared_galleries(
    url: str,
    extractor: ExtractorId,
    dimension: int,
    storage: Storage,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> SharedGalleries:
    """Return the galleries of an extractor at this address.

    Raises:
        GalleryFault: the address is not ``milvus://HOST:PORT/NAME``.
    """
    return SharedGalleries(
        MilvusAddress.read(url),
        encryption,
        extractor,
        dimension=dimension,
        others=OtherProcesses(storage.process_lock, lambda: keys_in_use(storage)),
        local_store=local_store,
    )


def keys_in_use(storage: Storage) -> list[str]:
    """Return the key ids that references are encrypted under."""
    with storage.reading() as transaction:
        counts = transaction.template_keys.count_by_key()
    return [each.key_id for each in counts if each.key_id is not None and each.references]


def open_shared(
    address: MilvusAddress,
    extractor: ExtractorId,
    dimension: int,
    encryption: TemplateEncryption,
    key_id: KeyId,
) -> MilvusStored:
    """Open the gallery of an extractor and a key.

    Raises:
        GalleryFault: the server cannot be reached, holds something else under this name, or the
            extra ``milvus`` is not installed.
        DecryptionFailed: the key is not on the ring.
    """
    try:
        connect = import_module("engine.gallery.milvus.connect")
    except ModuleNotFoundError as fault:
        raise GalleryFault("pymilvus is missing: pip install 'thenar[milvus]'") from fault
    key = encryption.derived(key_id, f"milvus/{extractor}")
    name = address.name + key_id
    opened: MilvusStored = connect.open_stored(
        address.server, name, extractor, dimension, key=key
    )
    return opened


def unknown_keys(
    stored: MilvusStored, encryption: TemplateEncryption, in_use: Collection[str]
) -> list[str]:
    """Return the keys of galleries beside this one that neither ring nor database knows.

    Args:
        stored: a gallery of the operator's name.
        encryption: knows the ring.
        in_use: names the keys that something in the database is sealed under.
    """
    return sorted({*stored.keys_beside(KEY_ID_LENGTH)} - {*encryption.key_ids} - {*in_use})


class SharedGalleries:
    """Implements ``mobile_api.gallery.replica.Galleries`` on Milvus.

    Args:
        address: where they are.
        encryption: knows the keys.
        extractor: whose templates.
        dimension: of their vectors.
        others: that share the database.
        local_store: of this process: keeps its list of accounts that must not come back.

    Attributes:
        erasures: that list.
    """

    def __init__(
        self,
        address: MilvusAddress,
        encryption: TemplateEncryption,
        extractor: ExtractorId,
        *,
        dimension: int,
        others: OtherProcesses,
        local_store: LocalStore,
    ) -> None:
        self._address, self._encryption = address, encryption
        self._extractor, self._dimension = extractor, dimension
        self._others, self._local_store = others, local_store
        self._opened: dict[KeyId, MilvusStored] = {}
        self._retiring: list[threading.Timer] = []
        self.erasures = local_store.erasures
        local_store.enter()

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key, empty if there is none.

        Raises:
            GalleryFault: the server cannot be reached or holds something else.
            DecryptionFailed: the key is not on the ring.
        """
        turner = self._encryption.turner(key_id, self._extractor, self._dimension)
        stored = open_shared(
            self._address, self._extractor, self._dimension, self._encryption, key_id
        )
        self._opened[key_id] = stored
        self._retire_leftovers(stored)
        return KeyedGallery(TurnedGallery(stored, turner), stored, key_id)

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Keep every other process out of the gallery of a key."""
        return self._others.lock(f"{self._address.name}/{self._extractor}/{key_id}")

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key, once no other process searches it any more."""
        self._schedule(self._remove, key_id)

    def close(self) -> None:
        """Let go of everything.

        What is to be removed stays: other processes may still be searching it, and each of
        them removes it in its time. If there are none, whoever starts next retires it.
        """
        for timer in self._retiring:
            timer.cancel()
        for stored in self._pop_all():
            stored.close()
        self._local_store.leave()

    def _retire_leftovers(self, stored: MilvusStored) -> None:
        """Retire galleries that a process which has ended left: others may still search them.

        They are those of keys on our ring under which nothing is sealed any more. A key that is
        not on it may have been put on another machine's a moment ago, or be another database's
        that has taken this name: its gallery is for the operator to remove.
        """
        in_use = {*self._others.keys_in_use()}
        left = (
            {*self._encryption.key_ids}
            - in_use
            - {self._encryption.key_id}
            - self._opened.keys()
        )
        if left:
            self._schedule(self._remove_leftovers, stored, left)
        if unknown := unknown_keys(stored, self._encryption, in_use):
            LOGGER.warning(
                "%d galleries on Milvus are of keys that the key file does not hold:"
                " see thenar gallery prune",
                len(unknown),
            )

    def _schedule(self, work: Callable[..., None], *arguments: object) -> None:
        """Do something when other processes have followed."""
        timer = threading.Timer(self._others.retire_s, work, arguments)
        timer.daemon = True
        self._retiring.append(timer)
        timer.start()

    def _remove_leftovers(self, stored: MilvusStored, left: Collection[str]) -> None:
        """Remove galleries of keys that nobody uses still; what cannot be is by a later start.

        A backup from before a renewal may have been restored meanwhile.
        """
        with suppress(Exception):
            in_use = {*self._others.keys_in_use(), self._encryption.key_id}
            stored.remove_of({*left} - in_use - self._opened.keys())

    def _remove(self, key_id: KeyId) -> None:
        """Remove the gallery of a key; what cannot be is removed by the next start."""
        stored = self._opened.pop(key_id, None)  # the process may have ended already
        if stored is not None:
            with suppress(GalleryFault):
                stored.remove()
            stored.close()

    def _pop_all(self) -> list[MilvusStored]:
        """Take out, one by one, what is open: a timer may be taking one, too."""
        taken = [self._opened.pop(key_id, None) for key_id in list(self._opened)]
        return [stored for stored in taken if stored is not None]
