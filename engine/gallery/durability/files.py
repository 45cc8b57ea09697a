"""Port: the files of one directory, with every promise of durability spelled out.

A crash may undo everything that was not synced: what was written, in part and in any order, and
names that were made, moved or removed. What was synced stays.
"""

from __future__ import annotations

from typing import Protocol

Octets = bytes | bytearray | memoryview
"""What may be written."""


class Files(Protocol):
    """The files of one directory, by name. Safe for several threads.

    Every method raises ``DirectoryFull`` where there is no room, and ``DirectoryFault`` where
    the system refuses for another reason.
    """

    def names(self) -> list[str]:
        """Return the names of all files, sorted."""
        ...

    def size(self, name: str) -> int:
        """Return how many bytes a file has."""
        ...

    def read_at(self, name: str, offset: int, size: int) -> bytes:
        """Return bytes of a file, fewer where it ends earlier."""
        ...

    def write_at(self, name: str, offset: int, data: Octets) -> None:
        """Write into a file, which is made if it is not there; a gap is filled with zeros."""
        ...

    def resize(self, name: str, size: int) -> None:
        """Make a file, or cut it, or lengthen it with zeros."""
        ...

    def sync(self, name: str) -> None:
        """Return once the content of a file survives a crash; its name is another matter."""
        ...

    def close_file(self, name: str) -> None:
        """Close a file that will not be used for a while."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a file a name, in associated_data of whatever had it."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...

    def sync_names(self) -> None:
        """Return once all names are such that they survive a crash."""
        ...
