"""The files of a directory of this machine, owned by one process at a time.

Reads go through a memory map, so that a few hundred bytes of a large file cost no system call
and no memory of our own.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import threading
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from engine.errors import DirectoryFault, DirectoryFull, DirectoryInUse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.gallery.durability.files import Octets

LOCK_NAME: Final = "lock"
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_OWNER_ONLY: Final = 0o600


class DirectoryLock:
    """Owns a directory for as long as the process lives, or until it is closed.

    Args:
        folder: made if it is not there, readable by its owner only.

    Raises:
        DirectoryInUse: somebody owns it.
        DirectoryFault: it cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        with _translated_errors():
            _create_folder(folder)
            self._file = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(self._file)
            raise DirectoryInUse(
                "another process owns the gallery's directory: give each its own"
            ) from fault
        self._closing = weakref.finalize(self, os.close, self._file)

    def close(self) -> None:
        """Let somebody else own it. Twice does no harm."""
        self._closing()


class RealFiles:
    """Implements ``Files``. Whoever makes it holds the lock of the directory.

    Args:
        folder: made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        with _translated_errors():
            _create_folder(folder)
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, int] = {}
        self._maps: dict[str, mmap.mmap] = {}

    def names(self) -> list[str]:
        """Return the names of all files. See ``Files.names``."""
        with _translated_errors():
            there = [entry.name for entry in self._folder.iterdir() if entry.is_file()]
        return sorted(name for name in there if name != LOCK_NAME)

    def size(self, name: str) -> int:
        """Return how many bytes a file has. See ``Files.size``."""
        with _translated_errors():
            # Not by opening it: a million rows are hundreds of files, and sockets need numbers.
            return (self._folder / name).stat().st_size

    def read_at(self, name: str, offset: int, size: int) -> bytes:
        """Return bytes of a file. See ``Files.read_at``."""
        mapped = self._maps.get(name)
        if mapped is None or offset + size > len(mapped):
            mapped = self._map(name)
        return b"" if mapped is None else mapped[offset : offset + size]

    def write_at(self, name: str, offset: int, data: Octets) -> None:
        """Write into a file. See ``Files.write_at``."""
        rest = memoryview(data)
        with _translated_errors():
            descriptor = self._descriptor(name, os.O_CREAT)
            while rest:
                written = os.pwrite(descriptor, rest, offset)
                rest, offset = rest[written:], offset + written

    def resize(self, name: str, size: int) -> None:
        """Make, cut or lengthen a file. See ``Files.resize``."""
        with _translated_errors():
            descriptor = self._descriptor(name, os.O_CREAT)
            with self._lock:
                # A page of a map that lies beyond the end of its file is death to a reader.
                if size < os.fstat(descriptor).st_size:
                    self._maps.pop(name, None)
                os.ftruncate(descriptor, size)

    def sync(self, name: str) -> None:
        """Make a file's content durable. See ``Files.sync``."""
        with _translated_errors():
            os.fsync(self._descriptor(name))

    def close_file(self, name: str) -> None:
        """Close a file. See ``Files.close_file``."""
        self._close_file(name)

    def rename(self, old: str, new: str) -> None:
        """Give a file a name. See ``Files.rename``."""
        with _translated_errors():
            self._close_file(new)
            (self._folder / old).replace(self._folder / new)
            self._close_file(old)

    def remove(self, name: str) -> None:
        """Remove a file. See ``Files.remove``."""
        with _translated_errors():
            self._close_file(name)
            (self._folder / name).unlink()

    def sync_names(self) -> None:
        """Make names durable. See ``Files.sync_names``."""
        with _translated_errors():
            _sync_names(self._folder)

    def close(self) -> None:
        """Close every file. What is in it can be read on, also if the file is removed then."""
        with self._lock:
            for name, descriptor in self._open.items():
                with suppress(OSError):
                    self._map_whole(name, descriptor)
                os.close(descriptor)
            self._open = {}

    def _descriptor(self, name: str, flags: int = 0) -> int:
        """Return an open file."""
        with self._lock:
            if name not in self._open:
                path = self._folder / name
                self._open[name] = os.open(path, os.O_RDWR | flags, _OWNER_ONLY)
            return self._open[name]

    def _map(self, name: str) -> mmap.mmap | None:
        """Map a file as long as it is now; None if it is empty."""
        with _translated_errors():
            descriptor = self._descriptor(name)
            with self._lock:
                return self._map_whole(name, descriptor)

    def _map_whole(self, name: str, descriptor: int) -> mmap.mmap | None:
        """Map an open file as long as it is now; None if it is empty. The lock is held."""
        if os.fstat(descriptor).st_size == 0:
            return None
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self._maps[name] = mapped
        return mapped

    def _close_file(self, name: str) -> None:
        """Close a file. Readers that have its map keep it."""
        with self._lock:
            self._maps.pop(name, None)
            descriptor = self._open.pop(name, None)
            if descriptor is not None:
                os.close(descriptor)


def _create_folder(folder: Path, mode: int = 0o700) -> None:
    """Make a folder and its parents such that their names survive a crash."""
    if folder.is_dir():
        return
    _create_folder(folder.parent, 0o777)
    folder.mkdir(mode, exist_ok=True)
    with suppress(PermissionError):  # we may write into the parent, and not list it
        _sync_names(folder.parent)


def _sync_names(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn a refusal of the system into our own error, without any path."""
    try:
        yield
    except OSError as fault:
        if fault.errno in _NO_ROOM:
            raise DirectoryFull("there is no room left for the gallery's directory") from fault
        reason = fault.strerror or "input or output failed"
        raise DirectoryFault(f"the gallery's directory cannot be used: {reason}") from fault
