"""Makes a gallery in memory durable: journal, snapshots, repair.

A disk fault stops the journal, not the service: nothing more is written until a checkpoint
has written everything.
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
"""Journal size at which a checkpoint is due."""

_RETRY_S: Final = 5.0
"""Pause after a failed checkpoint."""


class DurableGallery:
    """A gallery in memory and its directory, without the gallery's own methods.

    Attributes:
        sequence: of the last step read or made; −1: none.
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
        """Make all changes within the context one step: a crash keeps all of it or nothing.

        A nested step is part of the outer one. If the context raises, changes so far are kept
        as a step without a number. ``sequence`` is the database change then reached; ``mark``,
        up to 16 bytes, identifies it, because a restored database reuses numbers.
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
        """Do nothing: this process alone changes the gallery."""

    def sync(self) -> bool:
        """Make all steps durable; return whether that worked. Disk faults are recorded."""
        journal = self._journal
        if journal is not None:
            with self._disk_fault_stops_journal():
                journal.sync()
        return journal is not None and self._journal is journal

    def checkpoint(self) -> None:
        """Write what changed as a snapshot and drop the journal and everything erased.

        Raises ``DirectoryFault`` if the disk refuses; the gallery continues to serve.
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
        """Sync, and make a checkpoint if due. Call several times a second.

        Files may hold erased references for ``erasure_lag_s``. If no checkpoint succeeds by
        then, the files are removed: the database can rebuild them.
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
        """Return and clear references with a damaged code: erase and enrol them again."""
        codes = self._snapshots.codes
        with self._write_lock:
            if codes is None:
                return []
            bad = damaged_codes(self._gallery, codes, codes.pop_damaged(), {})
            names = [name for _, name in bad if any(name)]
            self._damage_count += len(names)
            return [ReferenceId(UUID(bytes=name[:16])) for name in names]

    def verify(self) -> int:
        """Read every file; count damaged parts. A checkpoint, due at once, rewrites them."""
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
        """Remove everything, on disk too; write nothing before the next checkpoint."""
        with self._snapshot_lock, self._write_lock:
            self._snapshots.directory.wipe()
            self._start_empty()

    def close(self) -> None:
        """Write what is pending. The gallery must not be used afterwards."""
        self.sync()
        if self._erasure_age.age() > 0 or self._journal is None:
            with suppress(DirectoryFault):
                self.checkpoint()

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
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
        self._gallery = self._snapshots.empty_gallery()
        self._journal = None
        self._record = 0
        self._step = PendingStep()
        self._erasure_age.clear()
        self.sequence, self.mark = -1, b""
        self.is_whole = True

    def _open(self) -> None:
        try:
            self._gallery, damaged = self._snapshots.load()
            self._replay(damaged)
        except (DirectoryDamaged, DuplicateReference, TemplateRefused, ValueError, KeyError):
            self._damage_count += 1
            self._snapshots.directory.wipe()
            self._start_empty()
            self.is_whole = False

    def _replay(self, damaged: int) -> None:
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
        if self._journal is None:  # the next checkpoint writes everything
            self._step.reset(self.sequence)
            return
        shape = self._snapshots.directory.shape(packed=False)
        record = self._step.pop_record(self.sequence, self.mark, shape)
        if record is not None:
            with self._disk_fault_stops_journal():
                self._journal.append(record)

    def _checkpoint(self) -> None:
        """Capture under the write lock, commit without it."""
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
        with self._write_lock:
            if self._journal is not None:
                self._record, self._journal = self._journal.record + 1, None

    def _remove_files(self) -> None:
        with self._snapshot_lock, self._write_lock, self._disk_fault_stops_journal():
            self._snapshots.remove(self._gallery)
            self._erasure_age.clear()

    @contextmanager
    def _disk_fault_stops_journal(self) -> Iterator[None]:
        try:
            yield
        except DirectoryFault as fault:
            self._stop_journal()
            self._fault, self._failed_at = fault.code, self._clock()
