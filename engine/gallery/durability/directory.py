"""The files of a gallery: written first, synced, then named by the manifest.

A snapshot is complete or absent: its files and their names are synced before the manifest
replaces the last one. Files that the manifest does not name are removed.
"""

from __future__ import annotations

import re
import secrets
import struct
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from engine.errors import DirectoryFault
from engine.gallery.durability.encryption import TAG_BYTES, GalleryCipher
from engine.gallery.durability.journal import Replay, journal_generation, read_journals
from engine.gallery.durability.manifest import (
    DIRECTORY_BYTES,
    Manifest,
    RowFormat,
    SegmentEntry,
    decode_manifest,
    encode_manifest,
)
from engine.gallery.rows.columns import Columns, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.gallery.durability.files import Files

MANIFEST: Final = "manifest"
_NEW_NAME: Final = "manifest.new"
_FILES: Final = re.compile(r"manifest(\.new)?|(rows-\d+|codes|journal)-\d+")

NOTHING: Final = Manifest(0, 0, -1, "", packed=False, segments=(), codes="")
"""A manifest that names no file."""


class Directory:
    """The files of one gallery, in a directory that this process owns; ``key``: 32 bytes."""

    def __init__(self, files: Files, model: RowFormat, key: bytes) -> None:
        self.files, self.model = files, model
        self._key = key
        self.manifest = NOTHING
        self._new_name()

    def open(self) -> None:
        """Read the manifest, if there is one.

        Raises:
            ForeignGallery: it is another gallery's.
            DirectoryDamaged: it is damaged.
        """
        if MANIFEST not in self.files.names():
            return
        data = self.files.read_at(MANIFEST, 0, self.files.size(MANIFEST))
        self.manifest, self._name = decode_manifest(data, self.model, self._key)
        self.cipher = GalleryCipher(self._key, self._name)

    def shape(self, *, packed: bool) -> Shape:
        """Return what a row of a packed or exact gallery consists of."""
        if packed:
            return Shape(self.model.dimension, self.model.dimension * self.model.bits // 8, 0)
        return Shape(self.model.dimension, 0, self.model.code_bytes)

    def segments(self) -> Iterator[Columns | None]:
        """Yield the rows of each segment; None for a damaged one."""
        shape = self.shape(packed=self.manifest.packed)
        for number, entry in enumerate(self.manifest.segments):
            yield self._segment(number, entry, shape)

    def journals(self) -> Replay:
        """Return what changed since the manifest."""
        manifest, shape = self.manifest, self.shape(packed=False)
        return read_journals(
            self.files, self.cipher, manifest.generation, manifest.record, shape
        )

    def newest_generation(self) -> int:
        """Return the highest generation of any file."""
        return max([self.manifest.generation, *map(_generation, self.files.names())])

    def write_segment(self, number: int, generation: int, columns: Columns) -> SegmentEntry:
        """Write rows to a new file; ``commit`` makes them part of the gallery."""
        shape = Shape(self.model.dimension, columns.packed.shape[1], columns.codes.shape[1])
        associated_data = _associated_data(number, generation, len(columns), shape)
        ciphertext = self.cipher.encrypt(columns.to_bytes(), associated_data)
        name = _segment_name(number, generation)
        self.files.write_at(name, 0, ciphertext)
        self.files.close_file(name)
        return SegmentEntry(generation, len(columns), ciphertext[-TAG_BYTES:].hex())

    def commit(self, manifest: Manifest) -> None:
        """Replace the manifest, atomically, and remove files it does not name.

        If it raises ``DirectoryFault``, the last manifest is valid; after a crash perhaps this
        one.
        """
        with self.discarding_on_failure(manifest.generation):
            self._prepare(manifest)
        self.files.rename(_NEW_NAME, MANIFEST)
        self.files.sync_names()
        self.manifest = manifest
        self.remove_unreferenced()

    @contextmanager
    def discarding_on_failure(self, generation: int) -> Iterator[None]:
        """Remove the files of an uncommitted generation if writing them fails.

        Otherwise they would keep a full disk full: the next snapshot needs the same room again.
        """
        try:
            yield
        except DirectoryFault:
            with suppress(DirectoryFault):
                self._discard(generation)
            raise

    def remove_unreferenced(self) -> None:
        """Remove every file that the manifest does not name, durably."""
        manifest = self.manifest
        named = {MANIFEST, manifest.codes}
        named.update(
            _segment_name(number, entry.generation)
            for number, entry in enumerate(manifest.segments)
        )
        useless = [name for name in self.files.names() if not self._is_current(name, named)]
        for name in useless:
            self.files.remove(name)
        if useless:
            self.files.sync_names()

    def wipe(self, keep: str = "") -> None:
        """Remove all files but ``keep``, the manifest first, and choose a new name."""
        self.manifest = NOTHING
        for name in sorted(self.files.names(), key=lambda name: name != MANIFEST):
            if name != keep:
                self.files.remove(name)
        self.files.sync_names()
        if not keep:
            self._new_name()

    def size(self) -> int:
        """Return the bytes of all files; files removed meanwhile may be left out."""
        size = 0
        for name in self.files.names():
            with suppress(DirectoryFault):
                size += self.files.size(name)
        return size

    def _prepare(self, manifest: Manifest) -> None:
        """Sync all files a manifest names, and write it under its temporary name."""
        for number, entry in enumerate(manifest.segments):
            if entry.generation == manifest.generation:
                name = _segment_name(number, entry.generation)
                self.files.sync(name)
                self.files.close_file(name)
        self.files.sync_names()
        data = encode_manifest(manifest, self.model, self._key, self._name)
        self.files.resize(_NEW_NAME, 0)
        self.files.write_at(_NEW_NAME, 0, data)
        self.files.sync(_NEW_NAME)

    def _discard(self, generation: int) -> None:
        for name in self.files.names():
            if name == _NEW_NAME or (_is_segment(name) and _generation(name) == generation):
                self.files.remove(name)

    def _is_current(self, name: str, named: set[str]) -> bool:
        """Return whether a file is named by the manifest, or a journal that continues it."""
        generation = journal_generation(name)
        if generation is not None:
            return generation >= self.manifest.generation
        return name in named

    def _new_name(self) -> None:
        self._name = secrets.token_bytes(DIRECTORY_BYTES)
        self.cipher = GalleryCipher(self._key, self._name)

    def _segment(self, number: int, entry: SegmentEntry, shape: Shape) -> Columns | None:
        name = _segment_name(number, entry.generation)
        associated_data = _associated_data(number, entry.generation, entry.rows, shape)
        try:
            ciphertext = self.files.read_at(name, 0, self.files.size(name))
            self.files.close_file(name)
            if ciphertext[-TAG_BYTES:].hex() != entry.tag:
                return None
            return Columns.from_bytes(
                self.cipher.decrypt(ciphertext, associated_data), entry.rows, shape
            )
        except (DirectoryFault, ValueError):
            return None


def empty_segment(rows: int, shape: Shape) -> Columns:
    """Return empty rows in place of damaged ones."""
    return Columns.from_bytes(bytes(rows * shape.row_bytes), rows, shape)


def is_gallery_file(name: str) -> bool:
    """Return whether a gallery may have written a file of this name."""
    return _FILES.fullmatch(name) is not None


def codes_name(generation: int) -> str:
    """Return the name of a file of codes."""
    return f"codes-{generation:08d}"


def _segment_name(number: int, generation: int) -> str:
    return f"rows-{number:06d}-{generation:08d}"


def _is_segment(name: str) -> bool:
    return name.startswith("rows-")


def _generation(name: str) -> int:
    """Return the generation at the end of a file's name; 0 if there is none."""
    number = name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _associated_data(number: int, generation: int, rows: int, shape: Shape) -> bytes:
    sizes = shape.dimension, shape.packed_bytes, shape.code_bytes
    return b"rows" + struct.pack("<IIIIII", number, generation, rows, *sizes)
