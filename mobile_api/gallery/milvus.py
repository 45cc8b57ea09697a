"""The gallery on a Milvus server: all that Milvus needs of this package.

A gallery's name is the operator's name and a key id; each extractor has its own collection.
Vectors are rotated and codes encrypted here: the server never sees a template.

``copy_gallery`` fills a gallery from the database, for the command ``thenar gallery copy``.
Differences are enrolled or erased, then every row is read back and compared. Idempotent.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

from engine.errors import GalleryFault
from engine.gallery.milvus.stored import MilvusStored
from engine.gallery.protection import RotatedGallery
from engine.types import ExtractorId
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.replica import GallerySync, KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.database import Database
from mobile_api.storage.key_file import KEY_ID_BYTES, KeyId

LOGGER: Final = logging.getLogger("thenar.mobile")

KEY_ID_LENGTH: Final = 2 * KEY_ID_BYTES
"""Characters of the key id that ends a gallery's name."""

SCHEMES: Final = {"milvus": "http", "milvus+tls": "https"}

MAX_NAME_LENGTH: Final = 24
"""Most characters of the operator's name."""

RETIRE_S: Final = 60.0
"""How long a gallery of an old key stays, because other processes may still search it."""


@dataclass(frozen=True, slots=True)
class MilvusAddress:
    """URL of the server, perhaps with a password, and the operator's name for the galleries."""

    server: str
    name: str

    def __repr__(self) -> str:
        """Show only the name: the URL may hold a password."""
        return f"MilvusAddress(name={self.name!r})"

    def lock_name(self, extractor: ExtractorId, key_id: KeyId) -> str:
        """Return the name of the lock for changes to a gallery."""
        return f"{self.name}/{extractor}/{key_id}"

    @classmethod
    def read(cls, url: str) -> MilvusAddress:
        """Parse ``milvus://HOST:PORT/NAME`` or ``milvus+tls://…``. Raises GalleryFault."""
        place = urlsplit(url)
        name = place.path.strip("/")
        is_name = name.isascii() and name.isalnum() and name == name.lower()
        if place.scheme not in SCHEMES or not place.hostname or not is_name:
            raise GalleryFault("the gallery's address must be milvus://HOST:PORT/NAME")
        if len(name) > MAX_NAME_LENGTH:
            raise GalleryFault(
                f"a gallery's name has at most {MAX_NAME_LENGTH} letters and digits"
            )
        return cls(f"{SCHEMES[place.scheme]}://{place.netloc}", name)


def keys_in_use(database: Database) -> list[str]:
    """Return the key ids that references are encrypted under."""
    with database.read_in_transaction() as transaction:
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

    Raises DecryptionFailed, or GalleryFault: no server, other contents, or no pymilvus.
    """
    try:
        connect = import_module("engine.gallery.milvus.stored")
    except ModuleNotFoundError as fault:
        raise GalleryFault("pymilvus is missing: pip install '.[milvus]'") from fault
    key = encryption.derived(key_id, f"milvus/{extractor}")
    name = address.name + key_id
    opened: MilvusStored = connect.open_stored(
        address.server, name, extractor, dimension, key=key
    )
    return opened


def unknown_keys(
    stored: MilvusStored, encryption: TemplateEncryption, in_use: Collection[str]
) -> list[str]:
    """Return key ids of galleries on the server that neither key file nor database has."""
    return sorted({*stored.other_keys(KEY_ID_LENGTH)} - {*encryption.key_ids} - {*in_use})


class SharedGalleries:
    """Implements ``replica.Galleries`` on Milvus, shared by processes on any machine."""

    def __init__(
        self,
        address: MilvusAddress,
        encryption: TemplateEncryption,
        extractor: ExtractorId,
        *,
        dimension: int,
        database: Database,
        local_store: LocalStore,
    ) -> None:
        self._address, self._encryption = address, encryption
        self._extractor, self._dimension = extractor, dimension
        self._database, self._local_store = database, local_store
        self._opened: dict[KeyId, MilvusStored] = {}
        self._retiring: list[threading.Timer] = []
        local_store.acquire()

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key, empty if there is none. Raises as ``open_shared``."""
        rotation = self._encryption.rotation(key_id, self._extractor, self._dimension)
        stored = open_shared(
            self._address, self._extractor, self._dimension, self._encryption, key_id
        )
        self._opened[key_id] = stored
        self._retire_leftovers(stored)
        return KeyedGallery(RotatedGallery(stored, rotation), stored, key_id)

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Lock the gallery of a key against other processes."""
        return self._database.process_lock(self._address.lock_name(self._extractor, key_id))

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key once other processes have stopped searching it."""
        self._schedule(self._remove, key_id)

    def close(self) -> None:
        """Release all resources. Galleries waiting for removal are left to the next start."""
        for timer in self._retiring:
            timer.cancel()
        for stored in self._pop_all():
            stored.close()
        self._local_store.release()

    def _retire_leftovers(self, stored: MilvusStored) -> None:
        """Retire galleries of our own unused keys that an ended process left behind.

        Other keys may be new on another machine, or another database's: the operator decides.
        """
        in_use = {*keys_in_use(self._database)}
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
                "%d galleries on Milvus have keys that are not in the key file:"
                " see thenar gallery prune",
                len(unknown),
            )

    def _schedule(self, work: Callable[..., None], *arguments: object) -> None:
        timer = threading.Timer(RETIRE_S, work, arguments)
        timer.daemon = True
        self._retiring.append(timer)
        timer.start()

    def _remove_leftovers(self, stored: MilvusStored, left: Collection[str]) -> None:
        """Remove galleries of keys that are still unused; a later start retries.

        A backup from before a re-keying may have been restored meanwhile.
        """
        with suppress(Exception):
            in_use = {*keys_in_use(self._database), self._encryption.key_id}
            stored.remove_keys({*left} - in_use - self._opened.keys())

    def _remove(self, key_id: KeyId) -> None:
        stored = self._opened.pop(key_id, None)  # closed meanwhile?
        if stored is not None:
            with suppress(GalleryFault):
                stored.remove()
            stored.close()

    def _pop_all(self) -> list[MilvusStored]:
        taken = [self._opened.pop(key_id, None) for key_id in list(self._opened)]
        return [stored for stored in taken if stored is not None]


def copy_gallery(
    stored: MilvusStored,
    database: Database,
    encryption: TemplateEncryption,
    extractor: ExtractorId,
    key_id: KeyId,
) -> None:
    """Bring a gallery up to the database: compare all names, then read and repair all rows.

    Raises ``GalleryFault`` if rows do not decrypt that were written again.
    """
    keyed, sync = KeyedGallery(stored, stored, key_id), GallerySync(extractor, encryption)
    stored.reset()
    with database.read_in_transaction() as transaction:
        sync.catch_up(keyed, transaction, transaction.history.head())
    if faults := stored.verify():
        raise GalleryFault(f"{faults} rows do not decrypt: run the copy again")
