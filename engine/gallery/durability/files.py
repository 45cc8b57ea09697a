"""Port: the files of one directory and what survives a crash.

A crash may undo anything not synced: writes, in part and in any order, and names created, moved
or removed. Synced data stay.
"""

from __future__ import annotations

from typing import Protocol

Octets = bytes | bytearray | memoryview
"""Data to write."""


class Files(Protocol):
    """The files of one directory, by name. Thread-safe.

    Methods raise ``DirectoryFull`` if there is no room, ``DirectoryFault`` for other refusals.
    """

    def names(self) -> list[str]:
        """Return all file names, sorted."""
        ...

    def size(self, name: str) -> int:
        """Return a file's size in bytes."""
        ...

    def read_at(self, name: str, offset: int, size: int) -> bytes:
        """Return bytes of a file, fewer at its end."""
        ...

    def write_at(self, name: str, offset: int, data: Octets) -> None:
        """Write into a file, created if missing; a gap is filled with zeros."""
        ...

    def resize(self, name: str, size: int) -> None:
        """Create a file, truncate it, or extend it with zeros."""
        ...

    def sync(self, name: str) -> None:
        """Return once a file's content survives a crash; see ``sync_names`` for its name."""
        ...

    def close_file(self, name: str) -> None:
        """Close a file that will not be used for a while."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Rename a file, replacing any other of that name."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...

    def sync_names(self) -> None:
        """Return once all names survive a crash."""
        ...
