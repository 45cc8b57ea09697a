"""Galleries of one process, on a disk that goes with the test."""

from contextlib import AbstractContextManager, nullcontext

from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.protection import RotatedGallery
from engine.parameters import CODE_BYTES
from mobile_api.gallery.local_store import PURPOSE
from mobile_api.gallery.replica import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.key_file import KeyId
from tests.support.galleries.gallery_disk import GalleryDisk
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR


class MemoryGalleries:
    """Implements ``mobile_api.gallery.replica.Galleries``.

    Attributes:
        disks: where each gallery is, by key.
        opened: how many galleries were opened.
        retired: keys of galleries that were removed.
    """

    def __init__(
        self, encryption: TemplateEncryption, disks: dict[KeyId, GalleryDisk] | None = None
    ) -> None:
        self._encryption = encryption
        self.disks = {} if disks is None else disks
        self.opened = 0
        self.retired: list[KeyId] = []

    def open(self, key_id: KeyId) -> KeyedGallery:
        """Open the gallery of a key."""
        self.opened += 1
        disk = self.disks.setdefault(key_id, GalleryDisk())
        rows = RowFormat(FAKE_EXTRACTOR, FAKE_DIMENSION, CODE_BYTES)
        stored = StoredGallery(disk.file(rows, self._encryption.derived(key_id, PURPOSE)))
        rotation = self._encryption.rotation(key_id, FAKE_EXTRACTOR, FAKE_DIMENSION)
        return KeyedGallery(RotatedGallery(stored.gallery, rotation), stored, key_id)

    def lock(self, key_id: KeyId) -> AbstractContextManager[None]:
        """Return at once."""
        return nullcontext()

    def retire(self, key_id: KeyId) -> None:
        """Remove the gallery of a key."""
        self.retired.append(key_id)
        del self.disks[key_id]

    def close(self) -> None:
        """Return at once: memory needs no closing."""
