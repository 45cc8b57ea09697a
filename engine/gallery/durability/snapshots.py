"""Snapshots of a gallery: written, committed and loaded.

``capture`` runs under the write lock: it writes changed blocks to new files and starts a new
journal. ``commit`` makes them count, while writers go on. A block that could not be written
stays dirty for the next snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from engine.gallery.durability.code_file import CodeFile
from engine.gallery.durability.directory import codes_name, empty_segment
from engine.gallery.durability.journal import Journal
from engine.gallery.durability.manifest import Manifest, SegmentEntry
from engine.gallery.rows.columns import columns_of, references_in
from engine.gallery.rows.memory import trim_memory
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.gallery.search.packed import PackedGallery
from engine.gallery.search.slot_columns import BLOCK_SLOTS
from engine.types import ExtractorId, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.gallery.durability.directory import Directory
    from engine.gallery.durability.journal import JournalRecord, Replay
    from engine.gallery.rows.columns import Columns
    from engine.types import Reference


@dataclass(frozen=True, slots=True)
class PendingSnapshot:
    """A snapshot not committed yet: its manifest, blocks, and slots no longer named."""

    manifest: Manifest
    blocks: frozenset[int]
    removed: tuple[int, ...]


class SnapshotStore:
    """Connects a gallery in memory and its directory.

    Attributes:
        codes: the file of codes; None while the rows hold them.
        leftovers: whether the file of codes held something no row named when loaded.
    """

    def __init__(
        self,
        directory: Directory,
        limit: int,
        new_packed: Callable[[CodeFile], PackedGallery] | None,
    ) -> None:
        self.directory = directory
        self._limit, self._new_packed = limit, new_packed
        self.extractor = ExtractorId(directory.model.extractor)
        self.codes: CodeFile | None = None
        self._generation, self._opening = 0, ""
        self._entries: list[SegmentEntry] = []
        self._dirty_blocks: set[int] = set()
        self._unwiped: dict[int, bytes] = {}
        self.leftovers = False

    def empty_gallery(self) -> AdaptiveGallery:
        """Return an empty gallery that stores codes in the directory once it is packed."""
        self.codes = None
        self._entries, self._dirty_blocks, self._unwiped = [], set(), {}
        return AdaptiveGallery(
            self.extractor,
            self.directory.model.dimension,
            limit=self._limit,
            new_packed=self._packed,
        )

    def load(self) -> tuple[AdaptiveGallery, int]:
        """Return the gallery of the manifest, and how many blocks were damaged and left empty.

        Raises:
            ForeignGallery: the directory is another gallery's.
            DirectoryFault: it cannot be read.
            DuplicateReference, TemplateRefused, ValueError: it holds what we never wrote.
        """
        directory = self.directory
        directory.open()
        gallery = self.empty_gallery()
        self._generation = directory.newest_generation()
        directory.remove_unreferenced()
        manifest = directory.manifest
        self._entries = list(manifest.segments)
        if manifest.packed:
            self._load_packed(gallery, manifest.codes)
        else:
            for block in self._blocks():
                gallery.enrol(references_in(block, self.extractor))
        return gallery, len(self._dirty_blocks)

    def replay(self) -> Replay:
        """Return what the journals hold."""
        return self.directory.journals()

    def journal(self) -> Journal:
        """Return a journal that continues from the manifest."""
        manifest = self.directory.manifest
        return Journal(
            self.directory.files, self.directory.cipher, manifest.generation, manifest.record
        )

    def capture(
        self, gallery: AdaptiveGallery, sequence: int, mark: bytes, record: int
    ) -> tuple[PendingSnapshot, Journal]:
        """Write a snapshot to new files. Call under the write lock.

        ``sequence`` and ``mark`` are of the database change the gallery has reached; ``record``
        is the number of the journal's next record. Raises ``DirectoryFault``.
        """
        self._generation += 1
        active = gallery.active
        is_packed = isinstance(active, PackedGallery) and self.codes is not None
        with self.directory.discarding_on_failure(self._generation):
            if isinstance(active, PackedGallery) and self.codes is not None:
                self._dirty_blocks |= active.slot_columns.touched()
                self._unwiped |= self.codes.pop_erased()
                entries = self._write_packed(active)
            else:
                entries = self._write_exact(gallery.all_references())
        manifest = Manifest(
            self._generation,
            record,
            sequence,
            mark.hex(),
            packed=is_packed,
            segments=tuple(entries),
            codes=self.codes.name if is_packed and self.codes else "",
        )
        files, cipher = self.directory.files, self.directory.cipher
        capture = PendingSnapshot(manifest, frozenset(self._dirty_blocks), tuple(self._unwiped))
        return capture, Journal(files, cipher, self._generation, record)

    def commit(self, capture: PendingSnapshot, gallery: AdaptiveGallery) -> None:
        """Make a snapshot count; then free the slots of erased codes.

        If it raises ``DirectoryFault``, the last snapshot counts.
        """
        with self.directory.discarding_on_failure(capture.manifest.generation):
            if capture.manifest.packed and self.codes is not None:
                self.codes.sync()
        self.directory.commit(capture.manifest)
        self._entries = list(capture.manifest.segments)
        self._dirty_blocks -= capture.blocks
        active = gallery.active
        if capture.manifest.packed and self.codes and isinstance(active, PackedGallery):
            self.codes.wipe(list(capture.removed))
            self.codes.sync()
            active.slot_columns.allow_reuse(capture.removed)
            for slot in capture.removed:
                del self._unwiped[slot]

    def unwiped_slots(self) -> dict[int, bytes]:
        """Return erased slots not overwritten yet, and whose code each holds."""
        return self._unwiped | (self.codes.erased_slots() if self.codes else {})

    def damaged_blocks(self) -> int:
        """Count damaged blocks; the next snapshot rewrites them."""
        bad = {n for n, block in enumerate(self.directory.segments()) if block is None}
        self._dirty_blocks |= bad
        return len(bad)

    def _packed(self) -> PackedGallery:
        self._generation += 1
        self.codes = self._code_file(self._opening or codes_name(self._generation))
        self._entries, self._dirty_blocks, self._unwiped = [], set(), {}
        if self._new_packed is not None:
            return self._new_packed(self.codes)
        model = self.directory.model
        return PackedGallery(self.extractor, model.dimension, codes=self.codes, bits=model.bits)

    def _code_file(self, name: str) -> CodeFile:
        directory = self.directory
        return CodeFile(directory.files, directory.cipher, name, directory.model.code_bytes)

    def _blocks(self) -> Iterator[Columns]:
        """Yield all rows; damaged blocks are empty and marked dirty."""
        directory = self.directory
        shape = directory.shape(packed=directory.manifest.packed)
        for number, columns in enumerate(directory.segments()):
            if columns is None:
                self._dirty_blocks.add(number)
                yield empty_segment(directory.manifest.segments[number].rows, shape)
            else:
                yield columns

    def _load_packed(self, gallery: AdaptiveGallery, codes_file: str) -> None:
        entries, self._opening = self._entries, codes_file
        packed = gallery.pack()
        self._opening, self._entries = "", entries
        packed.slot_columns.load(self._blocks())
        codes = self._code_file(codes_file)
        slot_count, empty = packed.slot_columns.slot_count, packed.slot_columns.empty_slots()
        self.leftovers = codes.clean(slot_count, empty)
        trim_memory()

    def _write_packed(self, active: PackedGallery) -> list[SegmentEntry]:
        nothing = SegmentEntry(0, 0, "")
        count = active.slot_columns.block_count
        entries = self._entries + [nothing] * (count - len(self._entries))
        for number in sorted(self._dirty_blocks):
            block = active.slot_columns.block(number)
            entries[number] = self.directory.write_segment(number, self._generation, block)
        return entries

    def _write_exact(self, references: list[Reference]) -> list[SegmentEntry]:
        shape = self.directory.shape(packed=False)
        entries = []
        for number, first in enumerate(range(0, len(references), BLOCK_SLOTS)):
            some = references[first : first + BLOCK_SLOTS]
            columns = columns_of(some, range(first + 1, first + 1 + len(some)), shape)
            entry = self.directory.write_segment(number, self._generation, columns)
            entries.append(entry)
        return entries

    def remove(self, gallery: AdaptiveGallery) -> None:
        """Remove every file but the codes still read; wipe erased codes."""
        active = gallery.active
        if isinstance(active, PackedGallery) and self.codes is not None:
            self._dirty_blocks = set(range(active.slot_columns.block_count))
            self._unwiped |= self.codes.pop_erased()
            self.directory.wipe(keep=self.codes.name)
            self.codes.wipe(list(self._unwiped))
        else:
            self.directory.wipe()
        self._entries = []


def replay_record(
    gallery: AdaptiveGallery, record: JournalRecord, extractor: ExtractorId
) -> bool:
    """Apply a journal record, even one applied before; return whether anything was removed."""
    added = references_in(record.added, extractor)
    names = [ReferenceId(UUID(bytes=name.tobytes())) for name in record.removed]
    names += [reference.reference_id for reference in added]
    removed = [name for name in dict.fromkeys(names) if name in gallery]
    if removed:
        gallery.erase(removed)
    gallery.enrol(added)
    return bool(removed)
