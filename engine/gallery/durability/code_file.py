"""Competitive codes in an encrypted file, mapped into memory; read for the short list only.

Each slot is encrypted by itself, bound to slot, reference and group. A code that does not
decrypt reads as zeros (no skin, resembles nobody) and its slot is reported as damaged.

``wipe`` overwrites erased codes once no manifest names them. Until then the slot is not reused,
so that after a crash every code of the last manifest is still in place.
"""

from __future__ import annotations

import struct
import threading
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import DirectoryDamaged, DirectoryFault
from engine.gallery.durability.encryption import ENCRYPTION_OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from engine.gallery.durability.encryption import GalleryCipher
    from engine.gallery.durability.files import Files


MAX_PENDING_CODES: Final = 16_384
"""Codes kept in memory until a snapshot; the journal has them meanwhile."""


class CodeFile:
    """Implements ``CodeStore`` by one file."""

    defers_reuse = True

    def __init__(self, files: Files, cipher: GalleryCipher, name: str, code_bytes: int) -> None:
        self._files, self._cipher = files, cipher
        self.name, self._code_bytes = name, code_bytes
        self._slot_bytes = code_bytes + ENCRYPTION_OVERHEAD_BYTES
        self._lock = threading.Lock()
        self._pending: dict[int, bytes] = {}
        self._erased: dict[int, bytes] = {}
        self._damaged: set[int] = set()

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Store codes: in memory first, in the file at ``sync``."""
        for slot, code, name in zip(slots.tolist(), codes, names, strict=True):
            ciphertext = self._cipher.encrypt(
                code.tobytes(), _associated_data(slot, name.tobytes())
            )
            with self._lock:
                self._pending[slot] = ciphertext
                self._damaged.discard(slot)
        if len(self._pending) >= MAX_PENDING_CODES:
            with suppress(DirectoryFault):
                self._write_pending()

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes; zeros for one that does not decrypt."""
        codes = np.zeros((len(slots), self._code_bytes), np.uint8)
        for row, (slot, name) in enumerate(zip(slots.tolist(), names, strict=True)):
            try:
                opened = self._cipher.decrypt(
                    self._encrypted(slot), _associated_data(slot, name.tobytes())
                )
                codes[row] = np.frombuffer(opened, np.uint8)
            except DirectoryFault:
                self._damaged.add(slot)
        return codes

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Mark codes for ``wipe``."""
        with self._lock:
            for slot, name in zip(slots.tolist(), names, strict=True):
                was_written = self._pending.pop(slot, None) is None
                self._erased[slot] = name.tobytes() if was_written else b""

    def pop_erased(self) -> dict[int, bytes]:
        """Return and clear the erased slots and their stored names, b"" if unwritten."""
        with self._lock:
            leaving, self._erased = self._erased, {}
            return leaving

    def erased_slots(self) -> dict[int, bytes]:
        """Return what ``pop_erased`` would, without clearing it."""
        with self._lock:
            return dict(self._erased)

    def pop_damaged(self) -> list[int]:
        """Return and clear the slots whose code did not decrypt."""
        with self._lock:
            suspects, self._damaged = sorted(self._damaged), set()
            return suspects

    def mark_damaged(self, slots: Iterable[int]) -> None:
        """Add to the slots whose code did not decrypt."""
        with self._lock:
            self._damaged.update(slots)

    def is_sound(self, slot: int, name: bytes) -> bool:
        """Return whether a slot holds a code of this reference and group."""
        try:
            self._cipher.decrypt(self._encrypted(slot), _associated_data(slot, name))
        except DirectoryDamaged:
            return False
        return True

    def is_wiped(self, slot: int) -> bool:
        """Return whether a slot is all zeros."""
        return not any(self._encrypted(slot))

    def wipe(self, slots: list[int]) -> None:
        """Overwrite slots with zeros. Raises ``DirectoryFault``."""
        for run in _runs(sorted(set(slots))):
            zeros = bytes(len(run) * self._slot_bytes)
            self._files.write_at(self.name, run[0] * self._slot_bytes, zeros)

    def clean(self, slot_count: int, empty: list[int]) -> bool:
        """Resize a file to its manifest and wipe empty slots; return whether it differed."""
        used = [slot for slot in empty if not self.is_wiped(slot)]
        try:
            size = self._files.size(self.name)
        except DirectoryFault:
            size = -1
        if size != slot_count * self._slot_bytes:
            self._files.resize(self.name, slot_count * self._slot_bytes)
        self.wipe(used)
        return bool(used) or size != slot_count * self._slot_bytes

    def sync(self) -> None:
        """Write pending codes and make everything durable. Raises ``DirectoryFull``."""
        self._write_pending()
        self._files.sync(self.name)

    def _write_pending(self) -> None:
        with self._lock:
            for run in _runs(sorted(self._pending)):
                data = b"".join(self._pending[slot] for slot in run)
                self._files.write_at(self.name, run[0] * self._slot_bytes, data)
                for slot in run:
                    del self._pending[slot]

    def _encrypted(self, slot: int) -> bytes:
        waiting = self._pending.get(slot)
        if waiting is not None:
            return waiting
        return self._files.read_at(self.name, slot * self._slot_bytes, self._slot_bytes)


def _runs(slots: list[int]) -> Iterator[list[int]]:
    breaks = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(slots)) if b != a + 1)]
    for first, last in pairwise([*breaks, len(slots)]):
        if last > first:
            yield slots[first:last]


def _associated_data(slot: int, name: bytes) -> bytes:
    return b"code" + struct.pack("<q", slot) + name
