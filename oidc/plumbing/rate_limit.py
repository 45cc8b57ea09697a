"""Rate limits: of one process in memory, of several on a host in a file that they share."""

import fcntl
import logging
import math
import os
import stat
import struct
from errno import EDQUOT, EFBIG, ENOSPC
from functools import cache
from hashlib import blake2b
from mmap import mmap
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from oidc.errors import LimitsFault

LOGGER: Final = logging.getLogger(__name__)

MINUTE_S: Final = 60

WAYS: Final = 8
"""Keys that share a set. A full set forgets the key with the fewest events."""

SETS: Final = 32_768

_SECRET_BYTES: Final = 32
_ENTRY: Final = struct.Struct("<QIII")
"""Digest of a key, number of its window, events in it and in the one before."""
_SET: Final = struct.Struct("<" + WAYS * "QIII")
TABLE_BYTES: Final = _SECRET_BYTES + SETS * _SET.size


class RateLimit:
    """Counts events by key in a sliding window; ``most`` 0: no limit. Thread-safe.

    The window before counts by as much of it as the sliding window still covers. A table of
    5 MB holds all keys, so that an event costs the same however many there are; a place in it
    follows from a secret, so that no caller can aim at another's.

    Processes that share a table lock it only while they open it, so that one that is frozen
    stops no other: of two events in the same microseconds one may be lost.

    Args:
        directory: of the table's file, which processes share; None: this one counts alone.
        name: of the file.
    """

    def __init__(
        self, most: int, window_s: int, directory: Path | None = None, name: str = ""
    ) -> None:
        self._most, self._window_s = most, window_s
        self._lock = Lock()
        self._table = _opened_table(directory, name) if most else None

    def count(self, key: str) -> int:
        """Count an event and return 0; at the limit, return the seconds to wait."""
        return self._wait_s(key, counts=1)

    def wait_s(self, key: str) -> int:
        """Return the seconds to wait; counts nothing."""
        return self._wait_s(key, counts=0)

    def _wait_s(self, key: str, *, counts: int) -> int:
        if self._table is None:
            return 0
        share, passed = divmod(monotonic() / self._window_s, 1)
        number = int(share) % 2**32
        secret = self._table[:_SECRET_BYTES]
        digest = blake2b(key.encode(), digest_size=_ENTRY.size - 12, key=secret).digest()
        name = int.from_bytes(digest, "little") or 1
        with self._lock:
            place, now, before = self._find(self._table, name, number)
            if before * (1 - passed) + now + 1 > self._most:
                return max(1, math.ceil(self._until_allowed(before, now, passed)))
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

    def _until_allowed(self, before: int, now: int, passed: float) -> float:
        """Return the seconds until the counts have faded enough for one more."""
        limit = self._most - 1
        if now <= limit:  # the window before fades within this one
            share = 1 - (limit - now) / before - passed
        else:  # this one fades within the next
            share = 1 - passed + 1 - limit / now
        return share * self._window_s


def _counts(values: tuple[int, ...], way: int, number: int) -> tuple[int, int]:
    """Return what an entry of a set says of this window and of the one before."""
    at, now, before = values[4 * way + 1 : 4 * way + 4]
    if at == number:
        return now, before
    return 0, now if at + 1 == number else 0


def require_own_directory(directory: Path) -> None:
    """Require that no other user can reach, or has made, what is in a directory.

    Raises LimitsFault; OSError if it is not there.
    """
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise LimitsFault("LIMITS_DIR is no directory, or a link to one: name the directory")
    _require_own(found, "LIMITS_DIR", "0700")


def _require_own(found: os.stat_result, name: str, mode: str) -> None:
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise LimitsFault(
            f"{name} must belong to user {os.geteuid()} with mode {mode}: it belongs to user"
            f" {found.st_uid} with mode {stat.S_IMODE(found.st_mode):04o}, so that other users"
            " could stop the service"
        )


def _opened_table(directory: Path | None, name: str) -> mmap:
    """Open the table that processes share; this one's own, if the disk is too full for it."""
    try:
        if directory is not None:
            return _shared_table(directory, name)
    except OSError as fault:
        if fault.errno not in {ENOSPC, EDQUOT, EFBIG}:
            raise
        _warn_of_full_disk()
    return _marked(mmap(-1, TABLE_BYTES))


@cache
def _warn_of_full_disk() -> None:
    """Say it once for all tables."""
    LOGGER.warning(
        "LIMITS_DIR has no space for all tables of limits: this process counts alone"
    )


def _shared_table(directory: Path, name: str) -> mmap:
    """Open a table and reserve it: a process is killed that writes where the disk is full.

    Raises LimitsFault, OSError.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    require_own_directory(directory)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(directory / name, flags, 0o600)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise LimitsFault(f"LIMITS_DIR has a link {name}: remove it")
        _require_own(found, f"{name} in LIMITS_DIR", "0600")
        fcntl.flock(file, fcntl.LOCK_EX)
        os.posix_fallocate(file, 0, TABLE_BYTES)
        table = _marked(mmap(file, TABLE_BYTES))
        fcntl.flock(file, fcntl.LOCK_UN)  # the table keeps the file open
        return table
    finally:
        os.close(file)


def _marked(table: mmap) -> mmap:
    """Return a table with its secret, made if it is new."""
    if not any(table[:_SECRET_BYTES]):
        table[:_SECRET_BYTES] = os.urandom(_SECRET_BYTES)
    return table
