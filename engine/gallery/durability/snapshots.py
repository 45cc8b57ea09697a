"""Reads a gallery from its directory, and writes snapshots of it.

A snapshot is captured while nobody writes, and committed while everybody does: ``capture``
writes aside the blocks in which something changed and turns to a new journal, ``commit`` makes
them count. A block that could not be written is written by the next snapshot.
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
    """A snapshot that does not count yet.

    Attributes:
        manifest: names it.
        blocks: that were written for it.
        removed: slots of codes that it does not name any more.
    """

    manifest: Manifest
    blocks: frozenset[int]
    removed: tuple[int, ...]


class SnapshotStore:
    """Between a gallery in memory and its directory.

    Args:
        directory: of this gallery, not opened yet.
        limit: how many references are searched without packing.
        new_packed: makes an empty packed gallery; None: an ordinary one.

    Attributes:
        directory: where everything is.
        extractor: whose templates.
        codes: the file of codes; None while the rows hold them.
        leftovers: whether the file of codes held something that no row names when it was
            loaded.
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
        """Return an empty gallery whose codes will lie in the directory once it is large."""
        self.codes = None
        self._entries, self._dirty_blocks, self._unwiped = [], set(), {}
        return AdaptiveGallery(
            self.extractor,
            self.directory.model.dimension,
            limit=self._limit,
            new_packed=self._packed,
        )

    def load(self) -> tuple[AdaptiveGallery, int]:
        """Return the gallery of the manifest, and how many of its blocks are damaged: empty.

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
        """Return what the journals say, and forget nothing."""
        return self.directory.journals()

    def journal(self) -> Journal:
        """Return a journal that goes on from the manifest, if none has done so yet."""
        manifest = self.directory.manifest
        return Journal(
            self.directory.files, self.directory.cipher, manifest.generation, manifest.record
        )

    def capture(
        self, gallery: AdaptiveGallery, sequence: int, mark: bytes, record: int
    ) -> tuple[PendingSnapshot, Journal]:
        """Write a snapshot aside. Nobody may write to the gallery meanwhile.

        Args:
            gallery: from ``empty_gallery`` or ``load``.
            sequence: up to which it is.
            mark: of that sequence.
            record: number of the next record of the journal.

        Raises:
            DirectoryFault: it cannot be written.
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
        """Make a snapshot count; then let slots of erased codes be used again.

        Raises:
            DirectoryFault: it cannot be written; the last one counts.
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
        """Return slots whose code was erased but not overwritten yet, and whose it was."""
        return self._unwiped | (self.codes.erased_slots() if self.codes else {})

    def damaged_blocks(self) -> int:
        """Read all blocks; return how many are damaged. The next snapshot writes them anew."""
        bad = {n for n, block in enumerate(self.directory.segments()) if block is None}
        self._dirty_blocks |= bad
        return len(bad)

    def _packed(self) -> PackedGallery:
        """Return an empty packed gallery whose codes lie in a new file."""
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
        """Yield all rows; damaged ones are empty, and written anew by the next snapshot."""
        directory = self.directory
        shape = directory.shape(packed=directory.manifest.packed)
        for number, columns in enumerate(directory.segments()):
            if columns is None:
                self._dirty_blocks.add(number)
                yield empty_segment(directory.manifest.segments[number].rows, shape)
            else:
                yield columns

    def _load_packed(self, gallery: AdaptiveGallery, codes_file: str) -> None:
        """Load rows, and overwrite in the file of codes whatever no row names."""
        entries, self._opening = self._entries, codes_file
        packed = gallery.pack()
        self._opening, self._entries = "", entries
        packed.slot_columns.load(self._blocks())
        codes = self._code_file(codes_file)
        slot_count, empty = packed.slot_columns.slot_count, packed.slot_columns.empty_slots()
        self.leftovers = codes.clean(slot_count, empty)
        trim_memory()

    def _write_packed(self, active: PackedGallery) -> list[SegmentEntry]:
        """Write the blocks in which something changed."""
        nothing = SegmentEntry(0, 0, "")
        count = active.slot_columns.block_count
        entries = self._entries + [nothing] * (count - len(self._entries))
        for number in sorted(self._dirty_blocks):
            block = active.slot_columns.block(number)
            entries[number] = self.directory.write_segment(number, self._generation, block)
        return entries

    def _write_exact(self, references: list[Reference]) -> list[SegmentEntry]:
        """Write everything."""
        shape = self.directory.shape(packed=False)
        entries = []
        for number, first in enumerate(range(0, len(references), BLOCK_SLOTS)):
            some = references[first : first + BLOCK_SLOTS]
            columns = columns_of(some, range(first + 1, first + 1 + len(some)), shape)
            entry = self.directory.write_segment(number, self._generation, columns)
            entries.append(entry)
        return entries

    def remove(self, gallery: AdaptiveGallery) -> None:
        """Remove every file but the codes that the gallery still reads, the erased ones wiped.

        Raises:
            DirectoryFault: the system refuses.
        """
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
    """Do a step of the journal again; tell whether anything left.

    Args:
        gallery: in which it may have been done already.
        record: the step.
        extractor: whose references.
    """
    added = references_in(record.added, extractor)
    names = [ReferenceId(UUID(bytes=name.tobytes())) for name in record.removed]
    names += [reference.reference_id for reference in added]
    removed = [name for name in dict.fromkeys(names) if name in gallery]
    if removed:
        gallery.erase(removed)
    gallery.enrol(added)
    return bool(removed)
