"""Makes a gallery in memory durable: steps, snapshots, repair.

A disk fault stops the log of steps, not the service: nothing more is written until a checkpoint
has written everything. Locks are taken in this order: checkpoint, file, memory.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final
from uuid import UUID

from engine.errors import (
    DirectoryDamaged,
    DirectoryFault,
    DuplicateReference,
    ForeignGallery,
    TemplateRefused,
)
from engine.gallery.durability.integrity_check import check_codes, damaged_codes
from engine.gallery.durability.pending_writes import ErasureAge, PendingStep
from engine.gallery.durability.snapshots import SnapshotStore, replay_step
from engine.gallery.durability.steps import StepLog, write_steps
from engine.gallery.durability.stored_state import StoredState
from engine.parameters import EXACT_GALLERY_ROWS
from engine.types import ReferenceId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.gallery.durability.gallery_file import GalleryFile
    from engine.gallery.durability.stored_codes import StoredCodes
    from engine.gallery.search.adaptive import AdaptiveGallery
    from engine.gallery.search.packed import PackedGallery

STEPS_BYTES: Final = 64 << 20
"""Size of all steps at which a checkpoint is due."""

_RETRY_S: Final = 5.0
"""Pause after a failed checkpoint."""


class DurableGallery:
    """A gallery in memory and its file, without the gallery's own methods.

    Attributes:
        sequence: of the last step read or made; −1: none.
        mark: of that change.
        is_whole: false if something that was written could not be read.

    Raises:
        ForeignGallery: the file is another gallery's.
        DirectoryFault: it cannot be read at all.
    """

    def __init__(
        self,
        file: GalleryFile,
        *,
        limit: int = EXACT_GALLERY_ROWS,
        new_packed: Callable[[StoredCodes], PackedGallery] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._snapshots, self._clock = SnapshotStore(file, limit, new_packed), clock
        self._write_lock, self._snapshot_lock = threading.RLock(), threading.Lock()
        self._depth = self._damage_count = 0
        self._fault, self._failed_at = "", -math.inf
        self._gallery: AdaptiveGallery
        self._log: StepLog | None
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
        log = self._log
        if log is not None:
            with self._disk_fault_stops_log():
                self._write_log()
        return log is not None and self._log is log

    def checkpoint(self) -> None:
        """Write what changed as a snapshot and drop the steps and everything erased.

        Raises ``DirectoryFault`` if the disk refuses; the gallery continues to serve.
        """
        with self._snapshot_lock:
            erased_at = self._erasure_age.since()
            try:
                self._checkpoint()
            except DirectoryFault as fault:
                self._stop_log()
                self._erasure_age.restore(erased_at)
                self._fault, self._failed_at = fault.code, self._clock()
                raise
            self._fault = ""

    def maintain(self, erasure_lag_s: float) -> None:
        """Sync, and make a checkpoint if due. Call several times a second.

        The file may hold erased references for ``erasure_lag_s``. If no checkpoint succeeds by
        then, they are overwritten in place.
        """
        self.sync()
        age, log = self._erasure_age.age(), self._log
        is_due = log is None or log.size > STEPS_BYTES or age > erasure_lag_s / 2
        if not is_due or self._clock() - self._failed_at < min(_RETRY_S, erasure_lag_s / 8):
            return
        try:
            self.checkpoint()
        except DirectoryFault:
            if age > erasure_lag_s * 3 / 4:
                self._remove_erased()

    def pop_damaged(self) -> list[ReferenceId]:
        """Return and clear references with a damaged code: erase and enrol them again."""
        codes = self._snapshots.codes
        with self._write_lock:
            if codes is None:
                return []
            bad = damaged_codes(self._gallery, codes, codes.pop_damaged())
            names = [name for _, name in bad if any(name)]
            self._damage_count += len(names)
            return [ReferenceId(UUID(bytes=name[:16])) for name in names]

    def verify(self) -> int:
        """Read the whole file; count damaged parts. A checkpoint, due at once, rewrites them.

        If SQLite cannot read it, the gallery is empty afterwards, until the database is read.
        """
        with self._snapshot_lock:
            self.sync()
            if not self._snapshots.is_readable():
                self._damage_count += 1
                self._clear()
                self.is_whole = False
                return 1
            faults = self._snapshots.damaged_blocks() + (
                self._snapshots.replay().lost_count > 0
            )
            if faults:
                self._stop_log()
            self._damage_count += faults
            bad, nobodys = check_codes(self._gallery, self._snapshots.codes, self._write_lock)
            self._damage_count += nobodys
            if nobodys:
                self._erasure_age.start()
            return faults + bad

    def reset(self) -> None:
        """Remove everything, on disk too; write nothing before the next checkpoint."""
        with self._snapshot_lock:
            self._clear()

    def close(self) -> None:
        """Write what is pending. The gallery must not be used afterwards."""
        self.sync()
        if self._erasure_age.age() > 0 or self._log is None:
            with suppress(DirectoryFault):
                self.checkpoint()
        self._snapshots.file.close()

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
        return StoredState(
            rows=len(self._gallery),
            sequence=self.sequence,
            disk_bytes=self._snapshots.file.size(),
            erasure_age_s=self._erasure_age.age(),
            damage_count=self._damage_count,
            fault=self._fault,
        )

    def _start_empty(self) -> None:
        self._gallery = self._snapshots.empty_gallery()
        self._log = None
        self._step = PendingStep()
        self._erasure_age.clear()
        self.sequence, self.mark = -1, b""
        self.is_whole = True

    def _clear(self) -> None:
        with self._snapshots.file.lock, self._write_lock:
            self._snapshots.file.wipe()
            self._start_empty()

    def _open(self) -> None:
        try:
            self._gallery, damaged = self._snapshots.load()
            self._replay(damaged)
        except ForeignGallery:
            raise
        except (
            DirectoryDamaged,
            DuplicateReference,
            TemplateRefused,
            ValueError,
            KeyError,
            TypeError,
        ):
            self._damage_count += 1
            self._clear()
            self.is_whole = False

    def _replay(self, damaged: int) -> None:
        state, replay = self._snapshots.state, self._snapshots.replay()
        self.sequence, self.mark = state.sequence, bytes.fromhex(state.mark)
        for step in replay.steps:
            if replay_step(self._gallery, step, self._snapshots.extractor):
                self._erasure_age.start()
            self.sequence, self.mark = step.sequence, step.mark.rstrip(b"\0")
        self._step.reset(self.sequence)
        self._damage_count += damaged + (replay.lost_count > 0)
        self.is_whole = damaged == 0
        if self.is_whole and state.generation and not replay.count:
            self._log = self._snapshots.log()

    def _write_step(self) -> None:
        if self._log is None:  # the next checkpoint writes everything
            self._step.reset(self.sequence)
            return
        step = self._step.pop_step(
            self.sequence, self.mark, self._snapshots.shape(packed=False)
        )
        if step is not None:
            self._log.append(step)

    def _write_log(self) -> None:
        file, codes = self._snapshots.file, self._snapshots.codes
        with file.lock:
            with self._write_lock:
                steps = [] if self._log is None else self._log.take()
                pending = {} if codes is None else codes.pending()
            if not steps:
                return
            with file.transaction() as db:
                write_steps(db, steps)
                if codes is not None:
                    codes.write(db, pending)
            if codes is not None:
                codes.written(pending)

    def _checkpoint(self) -> None:
        """Write under the write lock, commit without it."""
        snapshots = self._snapshots
        with snapshots.file.transaction() as db, self._write_lock:
            snapshot = snapshots.write(db, self._gallery, self.sequence, self.mark)
            self._log = StepLog(snapshots.file, snapshot.state.generation)
            self._erasure_age.clear()
        snapshots.commit(snapshot)
        snapshots.file.truncate_log()

    def _stop_log(self) -> None:
        with self._write_lock:
            self._log = None

    def _remove_erased(self) -> None:
        with self._snapshot_lock, self._snapshots.file.lock, self._write_lock:
            self._log = None
            with self._disk_fault_stops_log():
                self._snapshots.remove(self._gallery)
                self._erasure_age.clear()

    @contextmanager
    def _disk_fault_stops_log(self) -> Iterator[None]:
        try:
            yield
        except DirectoryFault as fault:
            self._stop_log()
            self._fault, self._failed_at = fault.code, self._clock()
