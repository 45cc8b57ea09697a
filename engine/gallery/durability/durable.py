"""What makes a gallery in memory durable: steps in a journal, snapshots, repair.

A fault of the disk costs the journal, not the service: nothing more is written until the next
checkpoint has written everything.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final
from uuid import UUID

from engine.errors import DirectoryDamaged, DirectoryFault, DuplicateReference, TemplateRefused
from engine.gallery.durability.integrity_check import check_codes, damaged_codes
from engine.gallery.durability.pending_writes import ErasureAge, PendingStep
from engine.gallery.durability.snapshots import SnapshotStore, replay_record
from engine.gallery.durability.stored_state import StoredState
from engine.parameters import EXACT_GALLERY_ROWS
from engine.types import ReferenceId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.gallery.durability.code_file import CodeFile
    from engine.gallery.durability.directory import Directory
    from engine.gallery.durability.journal import Journal
    from engine.gallery.search.adaptive import AdaptiveGallery
    from engine.gallery.search.packed import PackedGallery

JOURNAL_BYTES: Final = 64 << 20
"""How long a journal may become before a checkpoint is due."""

_RETRY_S: Final = 5.0
"""Pause after a checkpoint that failed."""


class DurableGallery:
    """A gallery in memory and its directory, without the gallery's own methods.

    Args:
        directory: its files, owned by this process, not opened yet.
        limit: how many references are searched without packing.
        new_packed: makes an empty packed gallery with its codes in a file; None: an ordinary
            one.
        clock: seconds, for ages.

    Attributes:
        sequence: of the last step that was read or made; −1: there was none.
        mark: of that change.
        is_whole: false if something that was written could not be read.

    Raises:
        ForeignGallery: the directory is another gallery's.
        DirectoryFault: it cannot be read at all.
    """

    def __init__(
        self,
        directory: Directory,
        *,
        limit: int = EXACT_GALLERY_ROWS,
        new_packed: Callable[[CodeFile], PackedGallery] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._snapshots, self._clock = SnapshotStore(directory, limit, new_packed), clock
        self._write_lock, self._snapshot_lock = threading.RLock(), threading.Lock()
        self._depth = self._damage_count = 0
        self._fault, self._failed_at = "", -math.inf
        self._gallery: AdaptiveGallery
        self._journal: Journal | None
        self._erasure_age = ErasureAge(clock)
        self._start_empty()
        self._open()

    @contextmanager
    def step(self, sequence: int | None = None, mark: bytes = b"") -> Iterator[None]:
        """Make all changes within the context one step: a crash leaves all of it or nothing.

        A step within another is part of it. Where the context raises, what was changed so far
        is kept as a step that has no number of its own.

        Args:
            sequence: number of the change of the database up to which everything is then.
            mark: names that change, up to 16 bytes: the same number in another history is
                another change.
        """
        with self._write_lock:
            self._depth += 1
            try:
                yield
                if sequence is not None:
                    self.sequence, self.mark = sequence, mark
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._write_step()

    def refresh(self) -> None:
        """Do nothing: nobody else changes what this process owns."""

    def sync(self) -> bool:
        """Make every step so far durable; tell whether that is so.

        Without a journal it is not: then a checkpoint is due. A fault of the disk is noted,
        not raised.
        """
        journal = self._journal
        if journal is not None:
            with self._disk_fault_stops_journal():
                journal.sync()
        return journal is not None and self._journal is journal

    def checkpoint(self) -> None:
        """Write anew what changed, and forget the journal and everything that was erased.

        Raises:
            DirectoryFault: the disk refuses; the gallery goes on serving.
        """
        with self._snapshot_lock:
            erased_at = self._erasure_age.since()
            try:
                self._checkpoint()
            except DirectoryFault as fault:
                self._stop_journal()
                self._erasure_age.restore(erased_at)
                self._fault, self._failed_at = fault.code, self._clock()
                raise
            self._fault = ""

    def maintain(self, erasure_lag_s: float) -> None:
        """Sync, and make a checkpoint if one is due: to be called several times a second.

        Args:
            erasure_lag_s: how long files may hold what was erased. Where no checkpoint can be
                written by then, they are removed: there is always the database.
        """
        self.sync()
        age, journal = self._erasure_age.age(), self._journal
        is_due = journal is None or journal.size > JOURNAL_BYTES or age > erasure_lag_s / 2
        if not is_due or self._clock() - self._failed_at < min(_RETRY_S, erasure_lag_s / 8):
            return
        try:
            self.checkpoint()
        except DirectoryFault:
            if age > erasure_lag_s * 3 / 4:
                self._remove_files()

    def pop_damaged(self) -> list[ReferenceId]:
        """Return, once, references whose code did not open: to be erased and brought again."""
        codes = self._snapshots.codes
        with self._write_lock:
            if codes is None:
                return []
            bad = damaged_codes(self._gallery, codes, codes.pop_damaged(), {})
            names = [name for _, name in bad if any(name)]
            self._damage_count += len(names)
            return [ReferenceId(UUID(bytes=name[:16])) for name in names]

    def verify(self) -> int:
        """Read every file; return how many parts of them are not what was written.

        Damaged codes are ``pop_damaged`` afterwards; everything else is written anew by the next
        checkpoint, which is due at once.
        """
        with self._snapshot_lock:
            faults = self._snapshots.damaged_blocks()
            with self._write_lock:
                self.sync()
                faults += self._snapshots.replay().lost_bytes > 0
            if faults:
                self._stop_journal()
            self._damage_count += faults
            bad, nobodys = check_codes(self._gallery, self._snapshots, self._write_lock)
            self._damage_count += nobodys
            return faults + bad

    def reset(self) -> None:
        """Forget everything, on disk too, and write nothing before the next checkpoint."""
        with self._snapshot_lock, self._write_lock:
            self._snapshots.directory.wipe()
            self._start_empty()

    def close(self) -> None:
        """Write what is left to write; the gallery is not used any more."""
        self.sync()
        if self._erasure_age.age() > 0 or self._journal is None:
            with suppress(DirectoryFault):
                self.checkpoint()

    def state(self) -> StoredState:
        """Return how the gallery is doing."""
        return StoredState(
            rows=len(self._gallery),
            sequence=self.sequence,
            disk_bytes=self._snapshots.directory.size(),
            is_journaled=self._journal is not None,
            erasure_age_s=self._erasure_age.age(),
            damage_count=self._damage_count,
            fault=self._fault,
        )

    def _start_empty(self) -> None:
        """Be an empty gallery without a journal."""
        self._gallery = self._snapshots.empty_gallery()
        self._journal = None
        self._record = 0
        self._step = PendingStep()
        self._erasure_age.clear()
        self.sequence, self.mark = -1, b""
        self.is_whole = True

    def _open(self) -> None:
        """Read what there is on disk; if it is damaged altogether, remove it."""
        try:
            self._gallery, damaged = self._snapshots.load()
            self._replay(damaged)
        except (DirectoryDamaged, DuplicateReference, TemplateRefused, ValueError, KeyError):
            self._damage_count += 1
            self._snapshots.directory.wipe()
            self._start_empty()
            self.is_whole = False

    def _replay(self, damaged: int) -> None:
        """Do again what the journals say."""
        manifest, replay = self._snapshots.directory.manifest, self._snapshots.replay()
        self.sequence, self.mark = manifest.sequence, bytes.fromhex(manifest.mark)
        for record in replay.records:
            if replay_record(self._gallery, record, self._snapshots.extractor):
                self._erasure_age.start()
            self.sequence, self.mark = record.sequence, record.mark.rstrip(b"\0")
        self._step.reset(self.sequence)
        self._record = manifest.record + len(replay.records) + 1  # see _stop_journal
        self._damage_count += damaged + (replay.lost_bytes > 0) + self._snapshots.leftovers
        self.is_whole = damaged == 0
        if self.is_whole and manifest.generation and not replay.seen_bytes:
            self._journal = self._snapshots.journal()

    def _write_step(self) -> None:
        """Append who left and who came since the last step to the journal."""
        if self._journal is None:  # the next checkpoint writes everything
            self._step.reset(self.sequence)
            return
        shape = self._snapshots.directory.shape(packed=False)
        record = self._step.pop_record(self.sequence, self.mark, shape)
        if record is not None:
            with self._disk_fault_stops_journal():
                self._journal.append(record)

    def _checkpoint(self) -> None:
        """PendingSnapshot under the writers' lock, commit without it."""
        with self._write_lock:
            if self._journal is not None:
                self._journal.sync()
                self._record = self._journal.record
            capture, self._journal = self._snapshots.capture(
                self._gallery, self.sequence, self.mark, self._record
            )
            gallery = self._gallery
            self._erasure_age.clear()
        self._snapshots.commit(capture, gallery)

    def _stop_journal(self) -> None:
        """Write no more steps; leave a gap in the numbers, over which no reader goes on."""
        with self._write_lock:
            if self._journal is not None:
                self._record, self._journal = self._journal.record + 1, None

    def _remove_files(self) -> None:
        """Remove what holds erased rows, since it cannot be written anew."""
        with self._snapshot_lock, self._write_lock, self._disk_fault_stops_journal():
            self._snapshots.remove(self._gallery)
            self._erasure_age.clear()

    @contextmanager
    def _disk_fault_stops_journal(self) -> Iterator[None]:
        """Let a fault of the disk cost the journal, not the service."""
        try:
            yield
        except DirectoryFault as fault:
            self._stop_journal()
            self._fault, self._failed_at = fault.code, self._clock()
