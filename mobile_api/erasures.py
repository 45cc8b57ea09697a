"""The list of erasures: accounts that no restored backup of the database may bring back.

``erasure_entries`` has the format. ``ErasureList`` is the file, which all processes share;
``open_list`` compares it with the database at a start. No account is on it, only what
stands for one. ``account`` adds to it an erased account, and at a start erases again every
account on it.

A person with write access to the file, but without the template keys and the database, can:

=================================  ==========================================================
attempt                            result
=================================  ==========================================================
remove the list                    no start: the database counts entries (or none, of a list)
cut entries off                    no start: fewer than the database counts
put an older copy in its place     no start, likewise
add an entry, or change one        no start: it is not authenticated by a key of the key file
put another service's list there   no start: other key, or not what the database counts
damage one of an entry's copies    repaired from its twin, and reported
=================================  ==========================================================

While a service runs, ``/readyz`` fails and phones that delete an account get 503; what the
command erased waits to be listed. ``thenar doctor`` says which attempt it is. What no count
shows: a list cut back to an older database that is restored at the same time. Hence
``docs/backup.md`` asks for copies of the list, apart.

It is read and changed under a lock of the file. A process that finds it changed by another
one reads all of it again. An account is appended and synced; a list is replaced by a rename.

The first start of all makes the list.
"""

import fcntl
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from mobile_api.erasure_entries import (
    ENTRY_BYTES,
    Entries,
    head_of,
    name_of,
    next_digest,
    read_entries,
    write_entries,
)
from mobile_api.errors import DeletionUnlisted, ErasureListFault, KeyFileFault
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database
from mobile_api.storage.key_file import KeyFile
from mobile_api.storage.stores.references import ListHead
from oidc.plumbing import private_file
from oidc.types import AccountId

PURPOSE: Final = "erasures"
"""Of the keys that authenticate the list."""

REMEDY: Final = (
    "put the newest copy of it back; if there is none, see `thenar account erasures --renew`"
)


class ErasureList:
    """Accounts that must not come back. Thread-safe.

    Args:
        path: of the file.
        keys: return the keys that authenticate entries; the first one signs.

    All methods raise ErasureListFault if the file is missing, forged, or cannot be used.
    """

    def __init__(self, path: Path, keys: Callable[[], Sequence[bytes]]) -> None:
        self.path, self._keys = path, keys
        self._mutex = threading.Lock()
        self._identifiers: list[UUID] = []
        self._known: set[UUID] = set()
        self._digest, self._damage_count = b"", 0
        self._stamp: tuple[int, int, int] | None = None

    def exists(self) -> bool:
        """Return whether there is a file."""
        return self.path.exists()

    def listed(self, accounts: Iterable[AccountId]) -> list[AccountId]:
        """Return those of these accounts that are on the list."""
        with self._current():
            own, known = self._identifiers[0], self._known
            return [each for each in accounts if name_of(own, each) in known]

    def head(self) -> ListHead:
        """Return how many accounts it has, and the digest of its chain."""
        with self._current():
            return self._head()

    def damage_count(self) -> int:
        """Return of how many entries one copy is damaged; ``rewrite`` repairs them."""
        with self._current():
            return self._damage_count

    def require(self, counted: ListHead | None) -> None:
        """Compare the list with the count in the database; None: it has none yet."""
        with self._current():
            if counted is None or counted == self._head():
                return
            if (count := self._head().count) < counted.count:
                raise self._fault(f"has {count} entries, the database counts {counted.count}")
            if head_of(self._identifiers[: counted.count + 1]) != counted:
                raise self._fault("is not the one of this database")

    def add(self, accounts: Iterable[AccountId]) -> ListHead:
        """Add accounts, durably; return the list's new head."""
        with self._current() as file:
            names = (name_of(self._identifiers[0], each) for each in accounts)
            new = [each for each in dict.fromkeys(names) if each not in self._known]
            if new:
                self._append(file, new)
            return self._head()

    def create(self, accounts: Iterable[AccountId] = ()) -> None:
        """Replace the file, if any, by a list of these accounts and what is authentic of it."""
        with self._mutex, self._translated_errors():
            data = self.path.read_bytes() if self.exists() else b""
            own, *names = self._entries(data).identifiers or [uuid4()]
            names += [name_of(own, each) for each in accounts]
            self._identifiers = []
            self._replace([own, *dict.fromkeys(names)])

    def rewrite(self) -> None:
        """Write the file again: authenticated by the first key, without damaged copies."""
        with self._current():
            self._replace(self._identifiers)

    @contextmanager
    def _current(self) -> Iterator[int]:
        """Lock the file, and know its content; yields its descriptor."""
        with self._mutex, self._translated_errors(), self._locked() as file:
            if self._stamp is None or _stamp(file) != self._stamp:
                self._read(file)
            yield file

    def _entries(self, data: bytes) -> Entries:
        return read_entries(data, self._keys())

    def _require_whole(self, found: Entries) -> Entries:
        if not found.identifiers or not found.is_torn:
            raise self._fault(
                f"is damaged or forged at its entry {len(found.identifiers)}, or its key is not"
                " in the key file"
            )
        return found

    @contextmanager
    def _locked(self) -> Iterator[int]:
        while True:
            file = os.open(self.path, os.O_RDWR)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                if os.fstat(file).st_ino == self.path.stat().st_ino:
                    yield file
                    return
            finally:
                os.close(file)

    def _read(self, file: int) -> None:
        os.fsync(file)  # its writer may have ended before
        found = self._require_whole(self._entries(os.pread(file, os.fstat(file).st_size, 0)))
        if [*found.identifiers[: len(self._identifiers)]] != self._identifiers:
            raise self._fault("lacks entries that it had")
        self._identifiers, self._digest = list(found.identifiers), found.digest
        self._known = set(found.identifiers[1:])
        self._damage_count = found.damage_count
        self._stamp = _stamp(file)

    def _append(self, file: int, names: Sequence[UUID]) -> None:
        end = ENTRY_BYTES * len(self._identifiers)
        data = write_entries(names, self._digest, self._keys()[0])
        try:
            os.ftruncate(file, end)  # what a power cut left
            _write(file, data, end)
            os.fsync(file)
        except OSError:
            os.ftruncate(file, end)
            raise
        finally:
            self._stamp = None
        for name in names:
            self._identifiers.append(name)
            self._digest = next_digest(self._digest, name)
        self._known.update(names)
        self._stamp = _stamp(file)

    def _replace(self, identifiers: Sequence[UUID]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        data = write_entries(identifiers, head_of(()).digest, self._keys()[0])
        private_file.replace(self.path, data)
        self._stamp = None

    def _head(self) -> ListHead:
        return ListHead(len(self._identifiers) - 1, self._digest)

    def _fault(self, what: str) -> ErasureListFault:
        return ErasureListFault(f"the list of erasures {self.path} {what}: {REMEDY}")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as fault:
            raise self._fault("is missing") from fault
        except OSError as fault:
            reason = fault.strerror or "input or output failed"
            raise ErasureListFault(
                f"the list of erasures {self.path} cannot be used: {reason}"
            ) from fault


def erasure_list(settings: MobileSettings, key_file: KeyFile) -> ErasureList:
    """Return the list of a service."""
    return ErasureList(settings.erasure_file, lambda: key_file.current().derived(PURPOSE))


def _write(file: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written


def _stamp(file: int) -> tuple[int, int, int]:
    found = os.fstat(file)
    return found.st_ino, found.st_size, found.st_ctime_ns


LOGGER: Final = logging.getLogger("thenar.mobile")


def open_list(erasures: ErasureList, database: Database) -> None:
    """Check the list against the database, make it if neither has one, and repair it.

    Raises ErasureListFault.
    """
    with database.write() as transaction:
        transaction.history.lock()  # one process makes it
        counted = transaction.pending_erasures.counted()
        if counted is None and not erasures.exists():
            erasures.create()
        erasures.require(counted)
        if counted != erasures.head():
            transaction.pending_erasures.recount(erasures.head())
    if erasures.damage_count():
        LOGGER.warning("the list of erasures was damaged and has been repaired")
        erasures.rewrite()


def check_list(erasures: ErasureList, database: Database) -> int:
    """Check the list against the database; return how many accounts are on it.

    Raises ErasureListFault.
    """
    with database.read() as transaction:
        counted = transaction.pending_erasures.counted()
    if counted is None and not erasures.exists():
        return 0
    erasures.require(counted)
    return erasures.head().count


def list_erased(erasures: ErasureList, database: Database, account: AccountId) -> None:
    """List an account that a command erased; a service makes the provider forget it.

    Raises DeletionUnlisted.
    """
    try:
        check_list(erasures, database)
        head = erasures.add([account])
    except (ErasureListFault, KeyFileFault) as fault:
        raise DeletionUnlisted(
            f"The account is erased, but not yet on the list of erasures ({fault}): start a"
            " service before you restore a backup"
        ) from fault
    with database.write() as transaction:
        transaction.pending_erasures.count(head)


def renew_list(erasures: ErasureList, database: Database) -> None:
    """Begin a new list with what is authentic of the old one, and with pending erasures.

    Raises ErasureListFault.
    """
    with database.write() as transaction:
        transaction.history.lock()
        erasures.create(transaction.pending_erasures.all())
        transaction.pending_erasures.recount(erasures.head())


def sign_list(erasures: ErasureList, database: Database) -> None:
    """Authenticate all entries by the first key, so that the others may go.

    Raises ErasureListFault.
    """
    with database.read() as transaction:
        counted = transaction.pending_erasures.counted()
    if counted is not None or erasures.exists():
        erasures.require(counted)
        erasures.rewrite()
