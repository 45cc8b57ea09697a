"""The files of a directory on this machine, owned by one process at a time.

Reads use a memory map: a few hundred bytes of a large file cost no system call.
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
    """Owns a directory until it is closed or the process ends.

    Args:
        folder: created if missing, readable by its owner only.

    Raises:
        DirectoryInUse: another process owns it.
        DirectoryFault: it cannot be created.
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
        """Release the directory. Idempotent."""
        self._closing()


class RealFiles:
    """Implements ``Files``. The caller holds the ``DirectoryLock``; the folder is created."""

    def __init__(self, folder: Path) -> None:
        with _translated_errors():
            _create_folder(folder)
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, int] = {}
        self._maps: dict[str, mmap.mmap] = {}

    def names(self) -> list[str]:
        """Return all file names, sorted."""
        with _translated_errors():
            there = [entry.name for entry in self._folder.iterdir() if entry.is_file()]
        return sorted(name for name in there if name != LOCK_NAME)

    def size(self, name: str) -> int:
        """Return a file's size in bytes."""
        with _translated_errors():
            # Without opening it: hundreds of files would use up file descriptors.
            return (self._folder / name).stat().st_size

    def read_at(self, name: str, offset: int, size: int) -> bytes:
        """Return bytes of a file."""
        mapped = self._maps.get(name)
        if mapped is None or offset + size > len(mapped):
            mapped = self._map(name)
        return b"" if mapped is None else mapped[offset : offset + size]

    def write_at(self, name: str, offset: int, data: Octets) -> None:
        """Write into a file."""
        rest = memoryview(data)
        with _translated_errors():
            descriptor = self._descriptor(name, os.O_CREAT)
            while rest:
                written = os.pwrite(descriptor, rest, offset)
                rest, offset = rest[written:], offset + written

    def resize(self, name: str, size: int) -> None:
        """Create, truncate or extend a file."""
        with _translated_errors():
            descriptor = self._descriptor(name, os.O_CREAT)
            with self._lock:
                # Reading a mapped page beyond the end of its file kills the process.
                if size < os.fstat(descriptor).st_size:
                    self._maps.pop(name, None)
                os.ftruncate(descriptor, size)

    def sync(self, name: str) -> None:
        """Make a file's content durable."""
        with _translated_errors():
            os.fsync(self._descriptor(name))

    def close_file(self, name: str) -> None:
        """Close a file."""
        self._close_file(name)

    def rename(self, old: str, new: str) -> None:
        """Rename a file."""
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
        """Make names durable."""
        with _translated_errors():
            _sync_names(self._folder)

    def close(self) -> None:
        """Close every file. Mapped files stay readable, even after removal."""
        with self._lock:
            for name, descriptor in self._open.items():
                with suppress(OSError):
                    self._map_whole(name, descriptor)
                os.close(descriptor)
            self._open = {}

    def _descriptor(self, name: str, flags: int = 0) -> int:
        with self._lock:
            if name not in self._open:
                path = self._folder / name
                self._open[name] = os.open(path, os.O_RDWR | flags, _OWNER_ONLY)
            return self._open[name]

    def _map(self, name: str) -> mmap.mmap | None:
        """Map a file at its current size; None if it is empty."""
        with _translated_errors():
            descriptor = self._descriptor(name)
            with self._lock:
                return self._map_whole(name, descriptor)

    def _map_whole(self, name: str, descriptor: int) -> mmap.mmap | None:
        """Map an open file; the lock is held."""
        if os.fstat(descriptor).st_size == 0:
            return None
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self._maps[name] = mapped
        return mapped

    def _close_file(self, name: str) -> None:
        with self._lock:
            self._maps.pop(name, None)
            descriptor = self._open.pop(name, None)
            if descriptor is not None:
                os.close(descriptor)


def _create_folder(folder: Path, mode: int = 0o700) -> None:
    """Create a folder and its parents with durable names."""
    if folder.is_dir():
        return
    _create_folder(folder.parent, 0o777)
    folder.mkdir(mode, exist_ok=True)
    with suppress(PermissionError):  # the parent may be writable but not readable
        _sync_names(folder.parent)


def _sync_names(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        if fault.errno in _NO_ROOM:
            raise DirectoryFull("there is no room left for the gallery's directory") from fault
        reason = fault.strerror or "input or output failed"
        raise DirectoryFault(f"the gallery's directory cannot be used: {reason}") from fault
