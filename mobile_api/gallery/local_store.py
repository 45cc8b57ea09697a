"""Galleries on local disk, in a directory that one process owns.

Each gallery is one file, named after its extractor and key; those of removed keys are
deleted. The directory is a cache.
"""

import logging
import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from engine.gallery.durability.encryption import DirectoryLock
from engine.gallery.durability.snapshot_file import SnapshotFile, remove_files
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.protection import RotatedGallery
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import ExtractorId
from mobile_api.gallery.replica import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.logging import SafeWord
from mobile_api.storage.key_file import KEY_ID_BYTES, KeyId

LOGGER: Final = logging.getLogger("thenar.mobile")

PURPOSE: Final = "gallery directory"
"""Purpose of the key that encrypts gallery files."""

SUFFIX: Final = ".sqlite3"

GALLERY_NAME: Final = re.compile(rf".+\.[0-9a-f]{{{2 * KEY_ID_BYTES}}}")
"""Name of a gallery: extractor and key id."""


class LocalStore:
    """Owns the gallery directory. Raises DirectoryInUse or DirectoryFault."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = DirectoryLock(folder)
        self._opened: set[str] = set()
        self._user_count = 0

    def open(self, name: str) -> Path:
        """Return the path of a gallery's file, which is used from now on."""
        self._opened.add(name)
        return self._path(name)

    def remove(self, name: str) -> None:
        """Remove a gallery that is no longer used. Searches that are running may end."""
        self._opened.discard(name)
        remove_files(self._path(name))

    def remove_unused(self, pattern: str) -> None:
        """Remove unopened galleries that match this pattern, and no other files."""
        for path in self._folder.glob(f"{pattern}{SUFFIX}*"):
            name = path.name.partition(SUFFIX)[0]
            if name not in self._opened and GALLERY_NAME.fullmatch(name):
                self.remove(name)

    def acquire(self) -> None:
        """Count one more user of the directory."""
        self._user_count += 1

    def release(self) -> None:
        """Count one user less; the last one closes the directory."""
        self._user_count -= 1
        if self._user_count == 0:
            self.close()

    def close(self) -> None:
        """Let go of the directory. Its galleries must not be used any more."""
        self._lock.close()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How local galleries are searched; ``shadow_share`` is repeated exactly."""

    shadow_share: float = 0.0
    threads: int = 1


DEFAULT_SEARCH: Final = SearchOptions()


class LocalGalleries:
    """Implements ``replica.Galleries`` on local disk."""

    def __init__(
        self,
        local_store: LocalStore,
        encryption: TemplateEncryption,
        extractor: ExtractorId,
        *,
        dimension: int,
        code_bytes: int,
        searching: SearchOptions = DEFAULT_SEARCH,
    ) -> None:
        self._local_store, self._encryption = local_store, encryption
        self._extractor, self._dimension, self._searching = extractor, dimension, searching
        self._rows = RowFormat(extractor, dimension, code_bytes)
        local_store.acquire()

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key; it is empty if none can be read.

        Raises DecryptionFailed or DirectoryFault.
        """
        rotation = self._encryption.rotation(key_id, self._extractor, self._dimension)
        path = self._local_store.open(self._name(key_id))
        stored = StoredGallery(
            SnapshotFile(path, self._rows, self._encryption.derived(key_id, PURPOSE)),
            shadow_share=self._searching.shadow_share,
            new_gallery=partial(MemoryGallery, threads=self._searching.threads),
        )
        if fault := stored.state().fault:
            LOGGER.warning("a gallery's file is rebuilt: %s", SafeWord(fault))
        self._local_store.remove_unused(self._name("*"))
        return KeyedGallery(RotatedGallery(stored.gallery, rotation), stored, key_id)

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Return at once: no other process uses this directory."""
        return nullcontext()

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key."""
        self._local_store.remove(self._name(key_id))

    def close(self) -> None:
        """Release the local store; the last one to do so closes it."""
        self._local_store.release()

    def _name(self, key_id: str) -> str:
        return f"{self._extractor}.{key_id}"
