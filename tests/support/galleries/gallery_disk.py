"""A temporary place for a gallery's files, which fails when a test says so."""

from __future__ import annotations

import shutil
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from engine.gallery.durability.snapshot_file import SnapshotFile
from engine.gallery.durability.state import RowFormat

_MEMORY = Path("/dev/shm")  # noqa: S108 -- these tests sync thousands of times
"""The folder of the system's files in memory."""


class GalleryDisk:
    """The folder of a gallery.

    Attributes:
        path: of its snapshot.
        fault: raised instead of a commit.
        before_commit: called within each transaction, at its end.
    """

    def __init__(self) -> None:
        folder = mkdtemp(prefix="gallery-", dir=_MEMORY if _MEMORY.is_dir() else None)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / "gallery.sqlite3"
        self.fault: Exception | None = None
        self.before_commit: Callable[[], None] = lambda: None

    def file(self, rows: RowFormat, key: bytes) -> SnapshotFile:
        """Return the file as a process opens it."""
        return _File(self, rows, key)

    def contents(self) -> bytes:
        """Return every byte that is there."""
        return b"\0".join(p.read_bytes() for p in sorted(self.path.parent.iterdir()))

    def after_crash(self) -> GalleryDisk:
        """Return what a process that is killed now leaves."""
        left = GalleryDisk()
        for path in self.path.parent.iterdir():
            shutil.copy(path, left.path.parent)
        return left

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query."""
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute(query).fetchall()

    def change(self, statement: str, *values: object) -> None:
        """Change the snapshot behind the gallery's back."""
        with closing(sqlite3.connect(self.path)) as database:
            database.execute(statement, values)
            database.commit()

    def flip(self, table: str, offset: int = 100) -> None:
        """Flip one bit of the first encrypted part in a table."""
        ((name, encrypted),) = self.rows(f"SELECT rowid, encrypted FROM {table} LIMIT 1")  # noqa: S608
        assert isinstance(encrypted, bytes)
        damaged = bytearray(encrypted)
        damaged[offset] ^= 4
        self.change(f"UPDATE {table} SET encrypted = ? WHERE rowid = ?", bytes(damaged), name)  # noqa: S608


class _File(SnapshotFile):
    def __init__(self, disk: GalleryDisk, rows: RowFormat, key: bytes) -> None:
        super().__init__(disk.path, rows, key)
        self.disk = disk

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Make changes; they are rolled back where the disk fails."""
        with super().transaction() as database:
            yield database
            self.disk.before_commit()
            if self.disk.fault is not None:
                raise self.disk.fault
