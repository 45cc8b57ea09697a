"""One SQLite file that holds a gallery, encrypted; one process writes it.

=========== ==============================================================================
table       what
=========== ==============================================================================
``head``    in the clear: whose file it is; encrypted: the state (``state``)
``blocks``  4,096 rows each, replaced when one of them changes
``codes``   of a packed gallery, by slot
``steps``   what changed since the blocks were written
=========== ==============================================================================

A transaction is there after a power cut or not at all (WAL, ``synchronous=FULL``). Deleted
content is overwritten (``secure_delete``) and leaves the log with ``truncate_log``. SQLite has
no check sums of its pages: everything is authenticated where it is read.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from engine.errors import DirectoryDamaged, DirectoryFault, DirectoryFull, ForeignFile
from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.durability.state import (
    SALT_BYTES,
    VERSION,
    RowFormat,
    State,
    decode_head,
    encode_head,
    require_version,
)
from engine.gallery.rows.readers_writer_lock import ReadersWriterLock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

APPLICATION: Final = int.from_bytes(b"Thnr")
"""``application_id`` of the file."""

BUSY_S: Final = 5.0
"""How long a writer waits for readers."""

_OWNER_ONLY: Final = 0o600
_SUFFIXES: Final = ("", "-wal", "-shm")
_MAPPED_BYTES: Final = 1 << 40
"""As much as SQLite was compiled for."""

_SETTINGS: Final = (
    "page_size=8192",
    "journal_mode=WAL",
    "synchronous=FULL",
    "secure_delete=ON",
    f"mmap_size={_MAPPED_BYTES}",
)
_NAMES: Final = (f"PRAGMA application_id={APPLICATION}", f"PRAGMA user_version={VERSION}")
_TABLES: Final = (
    "CREATE TABLE head(only INTEGER PRIMARY KEY, clear BLOB, sealed BLOB)",
    "CREATE TABLE blocks(number INTEGER PRIMARY KEY, sealed BLOB)",
    "CREATE TABLE codes(slot INTEGER PRIMARY KEY, sealed BLOB)",
    "CREATE TABLE steps(number INTEGER PRIMARY KEY, sealed BLOB)",
)
_DAMAGED: Final = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
)


class GalleryFile:
    """The file at ``path``, for one gallery; ``key``: 32 bytes. Thread-safe.

    It is made by the first transaction. All methods raise ``DirectoryFull`` without room,
    ``DirectoryDamaged`` where SQLite finds damage, ``DirectoryFault`` otherwise.

    Attributes:
        lock: held by a transaction.
    """

    def __init__(self, path: Path, model: RowFormat, key: bytes) -> None:
        self.path, self.model = path, model
        self._key = key
        self.lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._readers: list[sqlite3.Connection] = []
        self._access = ReadersWriterLock()
        self._new_salt()

    def open(self) -> State:
        """Return the state it is in; an empty one if there is none.

        Raises ``ForeignGallery``: the file is another gallery's.
        """
        if not self.path.exists():
            return State()
        ((application,),) = self.read("PRAGMA application_id")
        ((version,),) = self.read("PRAGMA user_version")
        found = self.read("SELECT sql FROM sqlite_master ORDER BY rowid")
        if not found:
            return State()
        if application != APPLICATION:
            raise ForeignFile("the gallery's file is none of a gallery")
        require_version(version)
        if found != [(table,) for table in _TABLES]:
            raise DirectoryDamaged("the gallery's file has other tables")
        rows = self.read("SELECT clear, sealed FROM head")
        if not rows:
            return State()
        clear, sealed = rows[0]
        state, self._salt = decode_head(clear, sealed, self.model, self._key)
        self.cipher = GalleryCipher(self._key, self._salt)
        return state

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Make changes that are durable once the context ends, or not made at all."""
        with self.lock, _translated_errors():
            db = self._writing()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def write_state(self, db: sqlite3.Connection, state: State) -> None:
        """Replace the head, within a transaction."""
        clear, sealed = encode_head(state, self.model, self._key, self._salt)
        db.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", (clear, sealed))

    def read(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query on what was committed; none if there is no file."""
        with self._access.reading(), _translated_errors():
            reader = self._reader()
            if reader is None:
                return self._read_removed(query, parameters)
            try:
                return reader.execute(query, parameters).fetchall()
            finally:
                self._readers.append(reader)

    def truncate_log(self) -> None:
        """Empty the log, so that nothing deleted is left in it."""
        with self.lock, _translated_errors():
            ((is_busy, _, _),) = self._writing().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if is_busy:
                raise DirectoryFault("the gallery's log is in use")

    def overwrite(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Delete in place, which takes no room; a crash meanwhile leaves a damaged file.

        Waits for readers: SQLite leaves its log only for one who is alone.
        """
        with self.lock, self._access.writing(), _translated_errors():
            db = self._writing()
            self._close_readers()
            ((mode,),) = db.execute("PRAGMA journal_mode=OFF")
            if mode != "off":
                raise DirectoryFault("the gallery's file is in use")
            db.execute("BEGIN IMMEDIATE")
            for statement, parameters in statements:
                db.executemany(statement, parameters)
            db.execute("COMMIT")
            db.close()
            self._writer = None

    def wipe(self) -> None:
        """Remove the file; what is written next is another one."""
        with self.lock:
            self.close()
            remove_file(self.path)
            self._new_salt()

    def release(self) -> None:
        """Replace connections that nobody reads through: what they cache counts as memory.

        One stays open, so that a gallery that is removed is read until its searches end.
        """
        self._close_readers()
        with suppress(DirectoryFault):
            self.read("PRAGMA user_version")

    def size(self) -> int:
        """Return its bytes, the log's included."""
        size = 0
        for suffix in _SUFFIXES:
            with suppress(OSError):
                size += self.path.with_name(self.path.name + suffix).stat().st_size
        return size

    def close(self) -> None:
        """Close it; it is opened again when it is used."""
        with self.lock, suppress(sqlite3.Error):
            self._close_readers()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
            db = self._connect()
            for setting in _SETTINGS:
                db.execute(f"PRAGMA {setting}")
            if not db.execute("SELECT name FROM sqlite_master").fetchall():
                db.execute("BEGIN IMMEDIATE")
                for statement in (*_NAMES, *_TABLES):
                    db.execute(statement)
                db.execute("COMMIT")
            self._writer = db
        return self._writer

    def _read_removed(self, query: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """Read through the writer's connection: the file has no name any more.

        Whoever holds ``lock`` may wait for a lock of this reader: it does not wait for ever.
        """
        if not self.lock.acquire(timeout=BUSY_S):
            raise DirectoryFault("the gallery's file is in use")
        try:
            if self._writer is None:
                return []
            return self._writer.execute(query, parameters).fetchall()
        finally:
            self.lock.release()

    def _close_readers(self) -> None:
        with suppress(IndexError):
            while True:
                self._readers.pop().close()

    def _reader(self) -> sqlite3.Connection | None:
        """Return a connection that is not in use, or a new one; None if there is no file."""
        with suppress(IndexError):
            return self._readers.pop()
        # Not mapped: the first look at each 64 kB costs a page fault, 50 µs and more.
        return self._connect() if self.path.exists() else None

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )

    def _new_salt(self) -> None:
        self._salt = secrets.token_bytes(SALT_BYTES)
        self.cipher = GalleryCipher(self._key, self._salt)


def remove_file(path: Path) -> None:
    """Remove a gallery's file. Who has it open goes on reading."""
    for suffix in _SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as fault:
        code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise DirectoryFull("there is no room left for the gallery's file") from fault
        if code in _DAMAGED:
            raise DirectoryDamaged("the gallery's file is damaged") from fault
        raise DirectoryFault(f"the gallery's file cannot be used: {fault}") from fault
    except OSError as fault:
        reason = fault.strerror or "input or output failed"
        raise DirectoryFault(f"the gallery's file cannot be used: {reason}") from fault
