"""Galleries on local disk, in a directory that one process owns.

Each gallery's folder is named after its extractor and key; folders of removed keys are deleted.
The directory is a cache.
"""

from __future__ import annotations

import logging
import re
import shutil
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import ForeignGallery
from engine.gallery.durability.code_file import CodeFile
from engine.gallery.durability.directory import Directory, is_gallery_file
from engine.gallery.durability.manifest import RowFormat
from engine.gallery.durability.real_files import DirectoryLock, RealFiles
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.protection.rotated_gallery import RotatedGallery
from engine.gallery.search.codebook import packed_bits
from engine.gallery.search.packed import PackedGallery
from engine.types import ExtractorId
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.logging import SafeWord
from mobile_api.storage.key_ring import KEY_ID_BYTES, KeyId

LOGGER: Final = logging.getLogger("thenar.mobile")

PURPOSE: Final = "gallery directory"
"""Of the key that encrypts gallery files."""

GALLERY_NAME: Final = re.compile(rf".+\.[0-9a-f]{{{2 * KEY_ID_BYTES}}}")
"""Folder name of a gallery: extractor and key id."""


class LocalStore:
    """Owns the gallery directory. Raises DirectoryInUse or DirectoryFault."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = DirectoryLock(folder)
        self._files: dict[str, RealFiles] = {}
        self._user_count = 0

    def files(self, name: str) -> RealFiles:
        """Return the files of a folder, creating it if needed."""
        files = self._files.get(name)
        if files is None:
            files = self._files[name] = RealFiles(self._folder / name)
        return files

    def remove(self, name: str) -> None:
        """Remove a folder that is no longer used."""
        files = self._files.pop(name, None)
        if files is not None:
            files.close()
        shutil.rmtree(self._folder / name, ignore_errors=True)

    def remove_unused(self, pattern: str) -> None:
        """Remove unopened galleries that match this pattern, and no other files."""
        for folder in self._folder.glob(pattern):
            if folder.name not in self._files and _is_gallery(folder):
                self.remove(folder.name)

    def acquire(self) -> None:
        """Count one more user of the directory."""
        self._user_count += 1

    def release(self) -> None:
        """Count one user less; the last one closes the directory."""
        self._user_count -= 1
        if self._user_count == 0:
            self.close()

    def close(self) -> None:
        """Close all files. Open galleries must not be used any more."""
        for files in self._files.values():
            files.close()
        self._lock.close()


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
        self._local_store, self._encryption, self._extractor = (
            local_store,
            encryption,
            extractor,
        )
        self._dimension, self._searching = dimension, searching
        self._model = RowFormat(extractor, dimension, code_bytes, packed_bits(dimension))
        local_store.acquire()

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key; it is empty if none can be read.

        Raises DecryptionFailed or DirectoryFault.
        """
        rotation = self._encryption.rotation(key_id, self._extractor, self._dimension)
        files = self._local_store.files(self._name(key_id))
        key = self._encryption.derived(key_id, PURPOSE)
        try:
            stored = self._opened(Directory(files, self._model, key))
        except ForeignGallery as fault:
            LOGGER.warning("a gallery's directory is rebuilt: %s", SafeWord(fault.code))
            directory = Directory(files, self._model, key)
            directory.wipe()
            stored = self._opened(directory)
        self._local_store.remove_unused(self._name("*"))
        return KeyedGallery(RotatedGallery(stored, rotation), stored, key_id)

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Return at once: no other process uses this directory."""
        return nullcontext()

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key."""
        self._local_store.remove(self._name(key_id))

    def close(self) -> None:
        """Release the local store; the last one to do so closes it."""
        self._local_store.release()

    def _opened(self, directory: Directory) -> StoredGallery:
        return StoredGallery(
            directory, shadow_share=self._searching.shadow_share, new_packed=self._packed
        )

    def _packed(self, codes: CodeFile) -> PackedGallery:
        return PackedGallery(
            self._extractor,
            self._dimension,
            codes=codes,
            bits=self._model.bits,
            threads=self._searching.threads,
        )

    def _name(self, key_id: str) -> str:
        return f"{self._extractor}.{key_id}"


def _is_gallery(folder: Path) -> bool:
    """Tell whether a folder is a gallery, by its name and all its files."""
    if GALLERY_NAME.fullmatch(folder.name) is None or not folder.is_dir():
        return False
    return all(each.is_file() and is_gallery_file(each.name) for each in folder.iterdir())
