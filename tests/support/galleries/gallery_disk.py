"""A place for a gallery's file that goes with the test, and fails when it is told to."""

from __future__ import annotations

import shutil
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from engine.gallery.durability.gallery_file import GalleryFile
from engine.gallery.durability.state import RowFormat

_MEMORY = Path("/dev/shm")  # noqa: S108 -- these tests sync thousands of times
"""Where the system has files that are on no disk."""


class GalleryDisk:
    """Where a gallery is written.

    Attributes:
        path: of its file.
        fault: raised instead of a commit, and by whatever else would write.
        before_commit: called within each transaction, at its end.
    """

    def __init__(self) -> None:
        folder = mkdtemp(prefix="gallery-", dir=_MEMORY if _MEMORY.is_dir() else None)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / "gallery.sqlite3"
        self.fault: Exception | None = None
        self.before_commit: Callable[[], None] = lambda: None

    @property
    def log(self) -> Path:
        """The file's log."""
        return self.path.with_name(self.path.name + "-wal")

    def file(self, model: RowFormat, key: bytes) -> GalleryFile:
        """Return the file as a process opens it."""
        return _File(self, model, key)

    def contents(self) -> bytes:
        """Return every byte that is there."""
        return b"\0".join(p.read_bytes() for p in sorted(self.path.parent.iterdir()))

    def after_crash(self, log_bytes: int | None = None) -> GalleryDisk:
        """Return what a process that is killed now leaves, its log perhaps cut by the power."""
        left = GalleryDisk()
        for ours, theirs in ((self.path, left.path), (self.log, left.log)):
            if ours.exists():
                shutil.copy(ours, theirs)
        if log_bytes is not None and left.log.exists():
            left.log.write_bytes(left.log.read_bytes()[:log_bytes])
        return left

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query."""
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute(query).fetchall()

    def change(self, statement: str, *values: object) -> None:
        """Change the file behind the gallery's back."""
        with closing(sqlite3.connect(self.path)) as database:
            database.execute(statement, values)
            database.commit()

    def flip(self, table: str, offset: int = 100) -> None:
        """Flip one bit of the first encrypted part in a table."""
        ((name, sealed),) = self.rows(f"SELECT rowid, sealed FROM {table} LIMIT 1")  # noqa: S608
        assert isinstance(sealed, bytes)
        damaged = bytearray(sealed)
        damaged[offset] ^= 4
        self.change(f"UPDATE {table} SET sealed = ? WHERE rowid = ?", bytes(damaged), name)  # noqa: S608


class _File(GalleryFile):
    def __init__(self, disk: GalleryDisk, model: RowFormat, key: bytes) -> None:
        super().__init__(disk.path, model, key)
        self.disk = disk

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Make changes; they are rolled back where the disk fails."""
        with super().transaction() as database:
            yield database
            self.disk.before_commit()
            if self.disk.fault is not None:
                raise self.disk.fault
