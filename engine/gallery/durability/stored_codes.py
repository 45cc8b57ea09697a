"""Competitive codes in a gallery's file; read for the short list only.

Each is encrypted by itself, bound to slot, reference and group. A code that does not decrypt
reads as zeros (no skin, resembles nobody) and its slot is reported as damaged. What is not
written yet is read from memory.
"""

from __future__ import annotations

import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import DirectoryDamaged, DirectoryFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from engine.gallery.durability.gallery_file import GalleryFile


MAX_PENDING_CODES: Final = 16_384
"""Codes kept in memory while a gallery is filled that has no snapshot yet."""

_CODES: Final = "SELECT slot, sealed FROM codes WHERE slot IN ({})"

Pending = dict[int, bytes | None]
"""Codes by slot, encrypted; None: erased."""


class StoredCodes:
    """Implements ``CodeStore``.

    Args:
        is_new: nothing in the file is of this store yet.
        has_snapshot: whether the file has one, whose codes must stay until the next.
    """

    def __init__(
        self,
        file: GalleryFile,
        code_bytes: int,
        *,
        is_new: bool = True,
        has_snapshot: bool = False,
    ) -> None:
        self._file, self._code_bytes = file, code_bytes
        self._is_new, self._has_snapshot = is_new, has_snapshot
        self._lock = threading.Lock()
        self._pending: Pending = {}
        self._damaged: set[int] = set()

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Store codes: in memory first."""
        cipher = self._file.cipher
        for slot, code, name in zip(slots.tolist(), codes, names, strict=True):
            sealed = cipher.encrypt(code.tobytes(), _associated_data(slot, name.tobytes()))
            with self._lock:
                self._pending[slot] = sealed
                self._damaged.discard(slot)
        if len(self._pending) >= MAX_PENDING_CODES and not self._has_snapshot:
            self._write_early()

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes; zeros for one that does not decrypt."""
        codes = np.zeros((len(slots), self._code_bytes), np.uint8)
        sealed = self._sealed(slots.tolist())
        for row, (slot, name) in enumerate(zip(slots.tolist(), names, strict=True)):
            try:
                opened = self._decrypted(slot, name.tobytes(), sealed)
                codes[row] = np.frombuffer(opened, np.uint8)
            except (DirectoryFault, ValueError):
                self.mark_damaged([slot])
        return codes

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Forget codes; the next write deletes them."""
        with self._lock:
            self._pending.update(dict.fromkeys(slots.tolist()))

    def forget(self, slots: Iterable[int]) -> None:
        """Delete what is in slots that should be empty."""
        with self._lock:
            self._pending.update(dict.fromkeys(slots))

    def pending(self) -> Pending:
        """Return what is not written yet."""
        with self._lock:
            return dict(self._pending)

    def write(self, db: sqlite3.Connection, codes: Pending) -> None:
        """Write codes, within a transaction."""
        if self._is_new:
            db.execute("DELETE FROM codes")
        gone = [(slot,) for slot, sealed in codes.items() if sealed is None]
        db.executemany("DELETE FROM codes WHERE slot = ?", gone)
        kept = [(slot, sealed) for slot, sealed in sorted(codes.items()) if sealed is not None]
        db.executemany("INSERT OR REPLACE INTO codes VALUES (?, ?)", kept)

    def written(self, codes: Pending, *, is_snapshot: bool = False) -> None:
        """Forget what the file has now."""
        self._is_new, self._has_snapshot = False, self._has_snapshot or is_snapshot
        with self._lock:
            for slot, sealed in codes.items():
                if self._pending.get(slot, sealed) is sealed:
                    self._pending.pop(slot, None)

    def pop_damaged(self) -> list[int]:
        """Return and clear the slots whose code did not decrypt."""
        with self._lock:
            suspects, self._damaged = sorted(self._damaged), set()
            return suspects

    def mark_damaged(self, slots: Iterable[int]) -> None:
        """Add to the slots whose code did not decrypt."""
        with self._lock:
            self._damaged.update(slots)

    def unsound(self, names: Mapping[int, bytes]) -> list[int]:
        """Return the slots that do not hold the code of this name; of none, if it is zeros."""
        sealed = self._sealed(list(names))
        return [slot for slot, name in names.items() if not self._is_sound(slot, name, sealed)]

    def erase_beyond(self, slot_count: int) -> int:
        """Erase codes of slots that there are not; return how many."""
        query = "SELECT slot FROM codes WHERE slot >= ? OR slot < 0"
        extra = (
            [] if self._is_new else [slot for (slot,) in self._file.read(query, (slot_count,))]
        )
        with self._lock:
            extra = [slot for slot in extra if slot not in self._pending]
            self._pending.update(dict.fromkeys(extra))
        return len(extra)

    def _is_sound(self, slot: int, name: bytes, sealed: Mapping[int, bytes | None]) -> bool:
        if not any(name):
            return sealed.get(slot) is None
        try:
            self._decrypted(slot, name, sealed)
        except DirectoryDamaged:
            return False
        return True

    def _decrypted(self, slot: int, name: bytes, sealed: Mapping[int, bytes | None]) -> bytes:
        found = sealed.get(slot)
        return self._file.cipher.decrypt(found or b"", _associated_data(slot, name))

    def _sealed(self, slots: Sequence[int]) -> dict[int, bytes | None]:
        with self._lock:
            here: Pending = {s: self._pending[s] for s in slots if s in self._pending}
        if len(here) < len(slots) and not self._is_new:
            rest = [slot for slot in slots if slot not in here]
            with suppress(DirectoryFault):
                here.update(self._file.read(_CODES.format(",".join("?" * len(rest))), rest))
        return here

    def _write_early(self) -> None:
        """Write codes of a gallery without a snapshot, unless the file is in use."""
        if not self._file.lock.acquire(blocking=False):
            return
        try:
            with suppress(DirectoryFault):
                write_codes(self._file, self)
        finally:
            self._file.lock.release()


def write_codes(file: GalleryFile, codes: StoredCodes) -> None:
    """Write what waits in memory, in a transaction of its own. Raises ``DirectoryFault``."""
    pending = codes.pending()
    with file.transaction() as db:
        codes.write(db, pending)
    codes.written(pending)


def _associated_data(slot: int, name: bytes) -> bytes:
    return b"code" + struct.pack("<q", slot) + name
