"""Competitive codes in a file, by slot; read for the short list only.

A record is encrypted by itself and bound to slot, reference and group. It is written when its
reference is enrolled and overwritten in place when it is erased, which takes no space. A code
that does not decrypt reads as zeros (no skin, resembles no palm) and its slot is reported as
damaged. What the disk refused waits in memory.
"""

import errno
import os
import struct
import threading
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import DirectoryDamaged, DirectoryFault, DirectoryFull
from engine.gallery.durability.encryption import ENCRYPTION_OVERHEAD_BYTES, GalleryCipher
from engine.parameters import EXACT_GALLERY_ROWS

_OWNER_ONLY: Final = 0o600


class CodeFile:
    """Implements ``CodeStore``. Raises ``DirectoryFault`` if the file cannot be opened.

    Codes of as many references as a small gallery has stay in memory, too: there a search
    reads a hundred.
    """

    def __init__(self, path: Path, code_bytes: int, cipher: GalleryCipher) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
        except OSError as fault:
            raise _translated(fault) from fault
        self._closing = weakref.finalize(self, os.close, self._file)
        self._code_bytes, self._record_bytes = (
            code_bytes,
            code_bytes + ENCRYPTION_OVERHEAD_BYTES,
        )
        self._cipher, self._lock = cipher, threading.Lock()
        self._unwritten: dict[int, bytes] = {}
        self._kept: dict[int, tuple[bytes, bytes]] = {}
        self._damaged: set[int] = set()

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Store codes."""
        for slot, code, name in zip(slots.tolist(), codes, names, strict=True):
            content, data = code.tobytes(), _associated_data(slot, name.tobytes())
            kept = name.tobytes(), content
            self._write(slot, self._cipher.encrypt(content, data), kept)

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes; zeros for one that does not decrypt."""
        codes = np.zeros((len(slots), self._code_bytes), np.uint8)
        for row, (slot, name) in enumerate(zip(slots.tolist(), names, strict=True)):
            try:
                codes[row] = np.frombuffer(self._content(slot, name.tobytes()), np.uint8)
            except DirectoryDamaged:
                self.mark_damaged([slot])
        return codes

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Overwrite codes with zeros."""
        for slot in slots.tolist():
            self._write(slot, bytes(self._record_bytes))

    def sync(self) -> None:
        """Make all codes durable. Raises ``DirectoryFault`` if the disk refuses one."""
        try:
            for slot in list(self._unwritten):
                with self._lock:
                    record = self._unwritten.get(slot)
                    if record is not None:
                        self._write_through(slot, record)
                        del self._unwritten[slot]
            os.fdatasync(self._file)
        except OSError as fault:
            raise _translated(fault) from fault

    def open(self, cipher: GalleryCipher, slot_count: int) -> None:
        """Go on with the first codes of a file that was written under this cipher."""
        self._cipher = cipher
        self._unwritten.clear()
        self._kept.clear()
        self._damaged.clear()
        try:
            if os.fstat(self._file).st_size > slot_count * self._record_bytes:
                os.truncate(self._file, slot_count * self._record_bytes)
        except OSError as fault:
            raise _translated(fault) from fault

    def pop_damaged(self) -> list[int]:
        """Return and clear the slots whose code did not decrypt."""
        with self._lock:
            suspects = sorted(self._damaged)
            self._damaged.clear()
            return suspects

    def mark_damaged(self, slots: Iterable[int]) -> None:
        """Add to the slots whose code did not decrypt."""
        with self._lock:
            self._damaged.update(slots)

    def unsound(self, names: Mapping[int, bytes]) -> list[int]:
        """Return the slots that do not hold the code of this name; of none, if it is zeros."""
        return [slot for slot, name in names.items() if not self._is_sound(slot, name)]

    def close(self) -> None:
        """Close the file."""
        self._closing()

    def _write(self, slot: int, record: bytes, kept: tuple[bytes, bytes] | None = None) -> None:
        with self._lock:
            self._damaged.discard(slot)
            self._kept.pop(slot, None)
            if kept is not None and len(self._kept) < EXACT_GALLERY_ROWS:
                self._kept[slot] = kept
            try:
                self._write_through(slot, record)
                self._unwritten.pop(slot, None)
            except OSError:
                self._unwritten[slot] = record

    def _write_through(self, slot: int, record: bytes) -> None:
        if os.pwrite(self._file, record, slot * self._record_bytes) < len(record):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _content(self, slot: int, name: bytes) -> bytes:
        kept = self._kept.get(slot)
        if kept is not None and kept[0] == name:
            return kept[1]
        record = self._record(slot)
        content = self._cipher.decrypt(record, _associated_data(slot, name))
        with self._lock:
            # An erasure since then must not come back into memory.
            if len(self._kept) < EXACT_GALLERY_ROWS and self._record(slot) == record:
                self._kept[slot] = name, content
        return content

    def _record(self, slot: int) -> bytes:
        record = self._unwritten.get(slot)
        if record is not None:
            return record
        try:
            return os.pread(self._file, self._record_bytes, slot * self._record_bytes)
        except OSError as fault:
            raise DirectoryDamaged("a code cannot be read") from fault

    def _is_sound(self, slot: int, name: bytes) -> bool:
        try:
            record = self._record(slot)
            if any(name):
                self._cipher.decrypt(record, _associated_data(slot, name))
                return True
        except DirectoryDamaged:
            return False
        return not any(record)


def _associated_data(slot: int, name: bytes) -> bytes:
    return b"code" + struct.pack("<q", slot) + name


def _translated(fault: OSError) -> DirectoryFault:
    if fault.errno == errno.ENOSPC:
        return DirectoryFull("there is no space left for the gallery's codes")
    return DirectoryFault(f"the gallery's codes cannot be used: {fault.strerror}")
