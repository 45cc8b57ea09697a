"""One SQLite file that holds a snapshot of a gallery's rows, encrypted; one process writes it.

``head`` is in the clear, whose file it is, and encrypted, the state (``state``); ``blocks`` are
rows, replaced when one of them changes. A transaction is there after a power cut or not at all.
Deleted content is overwritten (``secure_delete``). SQLite has no check sums of its pages: each
block is encrypted and bound to its place, and the state has its tag.
"""

import os
import secrets
import sqlite3
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import (
    DirectoryDamaged,
    DirectoryFault,
    DirectoryFull,
    ForeignGallery,
    GalleryFault,
)
from engine.gallery.durability.encryption import TAG_BYTES, GalleryCipher
from engine.gallery.durability.state import (
    SALT_BYTES,
    VERSION,
    RowFormat,
    State,
    decode_head,
    encode_head,
)
from engine.gallery.rows import BLOCK_SLOTS, row_type

APPLICATION: Final = int.from_bytes(b"Thnr")
"""``application_id`` of the file."""

_OWNER_ONLY: Final = 0o600
_SUFFIXES: Final = ("", "-journal", "-wal", "-shm", "-codes")
"""Former versions had a write-ahead log and a file of codes."""

_MAPPED_BYTES: Final = 1 << 40
"""As much as SQLite was compiled for."""

_SETTINGS: Final = (
    "page_size=8192",
    "journal_mode=TRUNCATE",
    "synchronous=FULL",
    "secure_delete=ON",
    f"mmap_size={_MAPPED_BYTES}",
)
_NAMES: Final = (f"PRAGMA application_id={APPLICATION}", f"PRAGMA user_version={VERSION}")
_TABLES: Final = (
    "CREATE TABLE head(only INTEGER PRIMARY KEY, clear BLOB, encrypted BLOB)",
    "CREATE TABLE blocks(number INTEGER PRIMARY KEY, encrypted BLOB)",
)
_BLOCK: Final = "SELECT encrypted FROM blocks WHERE number = ?"
_DAMAGED: Final = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
)


class SnapshotFile:
    """The file at ``path``, for one gallery; ``key``: 32 bytes. Not thread-safe.

    It is made by the first transaction. Methods raise ``DirectoryFull`` on a full disk,
    ``DirectoryDamaged`` where SQLite finds damage, ``DirectoryFault`` otherwise.
    """

    def __init__(self, path: Path, rows: RowFormat, key: bytes) -> None:
        self.path, self.rows = path, rows
        self._key, self._type = key, row_type(rows.dimension, rows.code_bytes)
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()
        self._new_salt()

    def open(self) -> State | None:
        """Return the state it is in; None if there is none.

        Raises ``ForeignGallery``: the file is another gallery's, or of another version.
        """
        if not self.path.exists():
            return None
        named = self._read("PRAGMA application_id") + self._read("PRAGMA user_version")
        tables = self._read("SELECT sql FROM sqlite_master ORDER BY rowid")
        if tables and named != [(APPLICATION,), (VERSION,)]:
            raise ForeignGallery("the gallery's file is of another version")
        if tables and tables != [(table,) for table in _TABLES]:
            raise DirectoryDamaged("the gallery's file has other tables")
        heads = self._read("SELECT clear, encrypted FROM head") if tables else []
        if not heads:
            return None
        clear, encrypted = heads[0]
        state, self._salt = decode_head(clear, encrypted, self.rows, self._key)
        self._cipher = GalleryCipher(self._key, self._salt)
        return state

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Make changes that are durable once the context ends, or not made at all."""
        with self._lock, _translated_errors():
            db = self._database()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def write_block(self, db: sqlite3.Connection, number: int, block: NDArray[np.void]) -> str:
        """Write a block, within a transaction; return its tag, for the state."""
        encrypted = self._cipher.encrypt(block.tobytes(), self._associated_data(number))
        db.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?)", (number, encrypted))
        return encrypted[-TAG_BYTES:].hex()

    def write_state(self, db: sqlite3.Connection, state: State) -> None:
        """Replace the head, within a transaction."""
        clear, encrypted = encode_head(state, self.rows, self._key, self._salt)
        db.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", (clear, encrypted))

    def read_block(self, number: int, tag: str) -> NDArray[np.void] | None:
        """Return a block; None if it is damaged."""
        try:
            ((encrypted,),) = self._read(_BLOCK, number)
            if encrypted[-TAG_BYTES:].hex() != tag:
                return None
            data = self._associated_data(number)
            return np.frombuffer(self._cipher.decrypt(encrypted, data), self._type)
        except (DirectoryDamaged, ValueError, TypeError, AttributeError):
            return None

    def empty_block(self) -> NDArray[np.void]:
        """Return empty rows in place of a damaged block."""
        return np.zeros(BLOCK_SLOTS, self._type)

    def is_sound(self, expected: State) -> bool:
        """Return whether SQLite can read it, and its state is the last one written."""
        try:
            return self._read("PRAGMA quick_check(1)") == [("ok",)] and self.open() == expected
        except (GalleryFault, ValueError, KeyError, TypeError):
            return False

    def remove(self) -> None:
        """Remove the snapshot; the next one is written under another key."""
        with self._lock, _translated_errors():
            self.close()
            remove_files(self.path)
            self._new_salt()

    def size(self) -> int:
        """Return the bytes of all files."""
        size = 0
        for suffix in _SUFFIXES:
            with suppress(OSError):
                size += self.path.with_name(self.path.name + suffix).stat().st_size
        return size

    def close(self) -> None:
        """Close it; it is opened again when it is used."""
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, query: str, *parameters: int) -> list[tuple[Any, ...]]:
        with self._lock, _translated_errors():
            return self._database().execute(query, parameters).fetchall()

    def _database(self) -> sqlite3.Connection:
        if self._connection is None:
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
            db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            for setting in _SETTINGS:
                db.execute(f"PRAGMA {setting}")
            if not db.execute("SELECT name FROM sqlite_master").fetchall():
                db.execute("BEGIN IMMEDIATE")
                for statement in (*_NAMES, *_TABLES):
                    db.execute(statement)
                db.execute("COMMIT")
            self._connection = db
        return self._connection

    def _associated_data(self, number: int) -> bytes:
        return b"rows" + struct.pack("<III", number, BLOCK_SLOTS, self._type.itemsize)

    def _new_salt(self) -> None:
        self._salt = secrets.token_bytes(SALT_BYTES)
        self._cipher = GalleryCipher(self._key, self._salt)


def remove_files(path: Path) -> None:
    """Remove a gallery's files. Who has one open goes on reading it."""
    for suffix in _SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as fault:
        code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise DirectoryFull("there is no space left for the gallery's file") from fault
        if code in _DAMAGED:
            raise DirectoryDamaged("the gallery's file is damaged") from fault
        raise DirectoryFault(f"the gallery's file cannot be used: {fault}") from fault
    except OSError as fault:
        reason = fault.strerror or "input or output failed"
        raise DirectoryFault(f"the gallery's file cannot be used: {reason}") from fault
