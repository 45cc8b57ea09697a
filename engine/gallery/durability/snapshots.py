"""Snapshots of a gallery: written and loaded.

``write`` puts changed blocks into a transaction under the write lock; ``commit`` follows once
the transaction is durable, while writers go on. A block that could not be written stays dirty
for the next snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from engine.errors import DirectoryFault, GalleryFault
from engine.gallery.durability.blocks import empty_block, read_block, write_block
from engine.gallery.durability.state import BlockEntry, State
from engine.gallery.durability.steps import StepLog, read_steps
from engine.gallery.durability.stored_codes import Pending, StoredCodes
from engine.gallery.rows.coarse_codes import COARSE_BYTES
from engine.gallery.rows.columns import Columns, Shape, columns_of, references_in
from engine.gallery.rows.memory import trim_memory
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.gallery.search.packed import PackedGallery
from engine.gallery.search.slot_columns import BLOCK_SLOTS
from engine.types import ExtractorId, ReferenceId

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from engine.gallery.durability.gallery_file import GalleryFile
    from engine.gallery.durability.steps import Replay, Step
    from engine.types import Reference


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot in a transaction: its state, blocks and codes."""

    state: State
    blocks: frozenset[int]
    codes: Pending


class SnapshotStore:
    """Connects a gallery in memory and its file.

    Attributes:
        codes: the codes in the file; None while the rows hold them.
    """

    def __init__(
        self,
        file: GalleryFile,
        limit: int,
        new_packed: Callable[[StoredCodes], PackedGallery] | None,
    ) -> None:
        self.file, self._limit, self._new_packed = file, limit, new_packed
        self.extractor = ExtractorId(file.model.extractor)
        self.codes: StoredCodes | None = None
        self.state, self._is_loading = State(), False
        self._entries: list[BlockEntry] = []
        self._dirty_blocks: set[int] = set()

    def empty_gallery(self) -> AdaptiveGallery:
        """Return an empty gallery that stores codes in the file once it is packed."""
        self.codes, self.state = None, State()
        self._entries, self._dirty_blocks = [], set()
        return AdaptiveGallery(
            self.extractor,
            self.file.model.dimension,
            limit=self._limit,
            new_packed=self._packed,
        )

    def load(self) -> tuple[AdaptiveGallery, int]:
        """Return the gallery of the last snapshot, and how many blocks were damaged and empty.

        Raises:
            ForeignGallery: the file is another gallery's.
            DirectoryFault: it cannot be read.
            DuplicateReference, TemplateRefused, ValueError: it holds what we never wrote.
        """
        gallery = self.empty_gallery()
        self.state = self.file.open()
        self._entries = list(self.state.blocks)
        if self.state.packed:
            self._load_packed(gallery)
        else:
            for block in self._blocks():
                gallery.enrol(references_in(block, self.extractor))
        self.file.release()
        return gallery, len(self._dirty_blocks)

    def replay(self) -> Replay:
        """Return the steps since the last snapshot."""
        return read_steps(self.file, self.state.generation, self.shape(packed=False))

    def log(self) -> StepLog:
        """Return a log that continues from the last snapshot, without steps."""
        return StepLog(self.file, self.state.generation)

    def shape(self, *, packed: bool) -> Shape:
        """Return what a row of a packed or exact gallery consists of."""
        model = self.file.model
        if packed:
            packed_bytes = model.dimension * model.bits // 8
            return Shape(model.dimension, packed_bytes, COARSE_BYTES)
        return Shape(model.dimension, 0, model.code_bytes)

    def write(
        self, db: sqlite3.Connection, gallery: AdaptiveGallery, sequence: int, mark: bytes
    ) -> Snapshot:
        """Write a snapshot within a transaction. Call under the write lock.

        ``sequence`` and ``mark`` are of the database change the gallery has reached.
        """
        generation, active = self.state.generation + 1, gallery.active
        codes: Pending = {}
        if isinstance(active, PackedGallery) and self.codes is not None:
            self._dirty_blocks |= active.slot_columns.touched()
            codes = self.codes.pending()
            self.codes.write(db, codes)
            entries = self._write_packed(db, active, generation)
        else:
            db.execute("DELETE FROM codes")
            entries = self._write_exact(db, gallery.all_references(), generation)
        db.execute("DELETE FROM blocks WHERE number >= ?", (len(entries),))
        db.execute("DELETE FROM steps")
        is_packed = isinstance(active, PackedGallery)
        state = State(generation, sequence, mark.hex(), packed=is_packed, blocks=tuple(entries))
        self.file.write_state(db, state)
        return Snapshot(state, frozenset(self._dirty_blocks), codes)

    def commit(self, snapshot: Snapshot) -> None:
        """Note that a snapshot is durable."""
        self.state = snapshot.state
        self._entries = list(snapshot.state.blocks)
        self._dirty_blocks -= snapshot.blocks
        if self.codes is not None:
            self.codes.written(snapshot.codes, is_snapshot=True)

    def damaged_blocks(self) -> int:
        """Count damaged blocks; the next snapshot rewrites them."""
        bad = {n for n, block in enumerate(self._read()) if block is None}
        self._dirty_blocks |= bad
        self.file.release()
        return len(bad)

    def is_readable(self) -> bool:
        """Return whether SQLite finds the file sound, and its state is the last one written."""
        if self.state.generation == 0:
            return True
        try:
            return self.file.read("PRAGMA quick_check(1)") == [("ok",)] and (
                self.file.open() == self.state
            )
        except (GalleryFault, ValueError, KeyError, TypeError):
            return False

    def remove(self, gallery: AdaptiveGallery) -> None:
        """Delete what was erased where there is no room for a snapshot, and the state with it.

        Codes that are still read stay. If even that fails, the file goes.
        """
        active, codes = gallery.active, self.codes
        if not isinstance(active, PackedGallery) or codes is None:
            self._forget()
            return
        self._dirty_blocks |= active.slot_columns.touched()
        gone = [(slot,) for slot, sealed in codes.pending().items() if sealed is None]
        try:
            self.file.overwrite(
                [
                    ("DELETE FROM head WHERE only = ?", [(1,)]),
                    ("DELETE FROM steps WHERE number >= ?", [(0,)]),
                    ("DELETE FROM blocks WHERE number = ?", [(n,) for n in self._dirty_blocks]),
                    ("DELETE FROM codes WHERE slot = ?", gone),
                ]
            )
        except DirectoryFault:
            self._forget()
            codes.mark_damaged(range(active.slot_columns.slot_count))
        self._dirty_blocks = set(range(active.slot_columns.block_count))

    def _forget(self) -> None:
        self.file.wipe()
        self.state, self._entries = State(), []

    def _packed(self) -> PackedGallery:
        codes = self.codes = StoredCodes(
            self.file,
            self.file.model.code_bytes,
            is_new=not self._is_loading,
            has_snapshot=self.state.generation > 0,
        )
        if not self._is_loading:
            self._entries, self._dirty_blocks = [], set()
        if self._new_packed is not None:
            return self._new_packed(codes)
        model = self.file.model
        return PackedGallery(self.extractor, model.dimension, codes=codes, bits=model.bits)

    def _read(self) -> Iterator[Columns | None]:
        shape = self.shape(packed=self.state.packed)
        for number, entry in enumerate(self.state.blocks):
            yield read_block(self.file, number, entry, shape)

    def _blocks(self) -> Iterator[Columns]:
        """Yield all rows; damaged blocks are empty and marked dirty."""
        shape = self.shape(packed=self.state.packed)
        for number, block in enumerate(self._read()):
            if block is None:
                self._dirty_blocks.add(number)
                yield empty_block(self.state.blocks[number].rows, shape)
            else:
                yield block

    def _load_packed(self, gallery: AdaptiveGallery) -> None:
        self._is_loading = True
        packed = gallery.pack()
        self._is_loading = False
        packed.slot_columns.load(self._blocks())
        trim_memory()

    def _write_packed(
        self, db: sqlite3.Connection, active: PackedGallery, generation: int
    ) -> list[BlockEntry]:
        shape = self.shape(packed=True)
        nothing = BlockEntry(0, 0, "")
        count = active.slot_columns.block_count
        entries = self._entries + [nothing] * (count - len(self._entries))
        for number in sorted(self._dirty_blocks):
            block = active.slot_columns.block(number)
            entries[number] = write_block(
                db, self.file.cipher, number, generation, block, shape
            )
        return entries

    def _write_exact(
        self, db: sqlite3.Connection, references: list[Reference], generation: int
    ) -> list[BlockEntry]:
        shape = self.shape(packed=False)
        entries = []
        for number, first in enumerate(range(0, len(references), BLOCK_SLOTS)):
            some = references[first : first + BLOCK_SLOTS]
            block = columns_of(some, range(first + 1, first + 1 + len(some)), shape)
            entries.append(write_block(db, self.file.cipher, number, generation, block, shape))
        return entries


def replay_step(gallery: AdaptiveGallery, step: Step, extractor: ExtractorId) -> bool:
    """Apply a step, even one applied before; return whether anything was removed."""
    added = references_in(step.added, extractor)
    names = [ReferenceId(UUID(bytes=name.tobytes())) for name in step.removed]
    names += [reference.reference_id for reference in added]
    removed = [name for name in dict.fromkeys(names) if name in gallery]
    if removed:
        gallery.erase(removed)
    gallery.enrol(added)
    return bool(removed)
