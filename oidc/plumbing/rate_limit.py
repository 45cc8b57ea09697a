"""Rate limits: of one process in memory, of several on a host in a file that they share."""

from __future__ import annotations

import fcntl
import math
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from mmap import mmap
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

MINUTE_S: Final = 60

WAYS: Final = 8
"""Keys that share a set. A full set forgets the key with the fewest events."""

SETS: Final = 32_768

_SECRET_BYTES: Final = 32
_ENTRY: Final = struct.Struct("<QIII")
"""Digest of a key, number of its window, events in it and in the one before."""
_SET: Final = struct.Struct("<" + WAYS * "QIII")


class RateLimit:
    """Counts events by key in a sliding window; ``most`` 0: no limit. Thread-safe.

    The window before counts by as much of it as the sliding window still covers. A table of
    5 MB holds all keys, so that an event costs the same however many there are; a place in it
    follows from a secret, so that nobody can aim at another's.

    Args:
        directory: of the table's file, which processes share; None: this one counts alone.
        name: of the file.
    """

    def __init__(
        self, most: int, window_s: int, directory: Path | None = None, name: str = ""
    ) -> None:
        self._most, self._window_s = most, window_s
        self._lock = Lock()
        self._file = None
        if directory is not None and most:
            self._file = os.open(directory / name, os.O_RDWR | os.O_CREAT, 0o600)
        self._table = self._open_table() if most else None

    def count(self, key: str) -> int:
        """Count an event and return 0; without room, return the seconds to wait."""
        return self._wait_s(key, counts=1)

    def wait_s(self, key: str) -> int:
        """Return the seconds to wait for room; counts nothing."""
        return self._wait_s(key, counts=0)

    def _open_table(self) -> mmap:
        size = _SECRET_BYTES + SETS * _SET.size
        with self._locked():
            if self._file is not None and os.fstat(self._file).st_size < size:
                os.truncate(self._file, size)
            table = mmap(-1 if self._file is None else self._file, size)
            if not any(table[:_SECRET_BYTES]):
                table[:_SECRET_BYTES] = os.urandom(_SECRET_BYTES)
        self._secret = table[:_SECRET_BYTES]
        return table

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the table alone; a process that is killed holds it no longer."""
        with self._lock:
            if self._file is None:
                yield
                return
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _wait_s(self, key: str, *, counts: int) -> int:
        if self._table is None:
            return 0
        share, passed = divmod(monotonic() / self._window_s, 1)
        number = int(share) % 2**32
        digest = blake2b(key.encode(), digest_size=_ENTRY.size - 12, key=self._secret).digest()
        name = int.from_bytes(digest, "little") or 1
        with self._locked():
            place, now, before = self._find(self._table, name, number)
            if before * (1 - passed) + now + 1 > self._most:
                return max(1, math.ceil(self._until_room(before, now, passed)))
            if counts:
                _ENTRY.pack_into(self._table, place, name, number, now + counts, before)
            return 0

    @staticmethod
    def _find(table: mmap, name: int, number: int) -> tuple[int, int, int]:
        """Return where the key is, or may be, and its events in this window and before."""
        place = _SECRET_BYTES + name % SETS * _SET.size
        values = _SET.unpack_from(table, place)
        names = values[::4]
        if name in names:
            way = names.index(name)
            return place + way * _ENTRY.size, *_counts(values, way, number)
        way = min(range(WAYS), key=lambda each: sum(_counts(values, each, number)))
        return place + way * _ENTRY.size, 0, 0

    def _until_room(self, before: int, now: int, passed: float) -> float:
        """Return the seconds until the counts have faded enough for one more."""
        room = self._most - 1
        if now <= room:  # the window before fades within this one
            share = 1 - (room - now) / before - passed
        else:  # this one fades within the next
            share = 1 - passed + 1 - room / now
        return share * self._window_s


def _counts(values: tuple[int, ...], way: int, number: int) -> tuple[int, int]:
    """Return what an entry of a set says of this window and of the one before."""
    at, now, before = values[4 * way + 1 : 4 * way + 4]
    if at == number:
        return now, before
    return 0, now if at + 1 == number else 0
