"""Transactions of the protocol database."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime

from oidc.errors import DatabaseUnavailable
from oidc.plumbing import database_engine as engines
from oidc.storage.transactions import Stores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

CONNECTIONS: Final = 40
"""Most connections: one for each request thread."""

WAIT_S: Final = 10
"""How long a transaction waits for a connection or the writer lock."""

_UNAVAILABLE: Final = (OperationalError, InterfaceError, NoConnectionInTime)
"""SQLAlchemy's errors for a database that does not respond; the driver has its own."""


def open_engine(url: str) -> Engine:
    """Return an engine of the protocol database."""
    return engines.open_engine(url, most_connections=CONNECTIONS, wait_s=WAIT_S)


class Database:
    """Opens transactions on the protocol database. They block.

    All raise ``DatabaseUnavailable``.

    Attributes:
        engine: for migrations.
        is_server: whether a transaction waits for another machine, not for a file.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine, self.is_server = engine, engine.dialect.name != "sqlite"
        self._reading, self._writing = engines.reading(engine), engines.writing(engine)
        self._writer_lock: AbstractContextManager[None] = (
            nullcontext() if self.is_server else _WriterLock()
        )
        faults = engine.dialect.loaded_dbapi
        self._unavailable = (*_UNAVAILABLE, faults.OperationalError, faults.InterfaceError)

    @contextmanager
    def read(self) -> Iterator[Stores]:
        """Open the stores for reading.

        Each statement sees what was committed when it began; reads that must agree with each
        other belong in a write transaction.
        """
        with self.translate_unavailable(), self._reading.connect() as connection:
            yield Stores(connection)

    @contextmanager
    def write(self) -> Iterator[Stores]:
        """Open a transaction that commits at the end and rolls back on an exception."""
        with self.transaction() as connection, self.stores(connection) as stores:
            yield stores

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a write transaction on a bare connection."""
        with (
            self.translate_unavailable(),
            self._writer_lock,
            self._writing.begin() as connection,
        ):
            yield connection

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[Stores]:
        """Yield the stores of a write transaction; append the audit entries at the end."""
        stores = Stores(connection)
        yield stores
        if "audit" in vars(stores):  # made, so used
            stores.audit.append_recorded()

    @contextmanager
    def translate_unavailable(self) -> Iterator[None]:
        """Raise ``DatabaseUnavailable`` for errors of a database that does not respond."""
        try:
            yield
        except self._unavailable as fault:
            if self.is_server and not isinstance(fault, NoConnectionInTime):
                self.close()  # what lies idle may be as dead
            raise DatabaseUnavailable("the protocol database does not answer") from fault

    def compact(self) -> None:
        """Truncate SQLite's log, unless it is in use: no file holds what was deleted."""
        with self.translate_unavailable():
            engines.truncate_log(self.engine, WAIT_S)

    def close(self) -> None:
        """Close idle connections. Later transactions open new ones."""
        self.engine.dispose()


class _WriterLock:
    """Lets one writer of this process run at a time.

    SQLite makes waiting writers sleep longer and longer; threads that wait here are served
    in turn. Other processes still wait in SQLite.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=WAIT_S):
            raise DatabaseUnavailable("the protocol database does not answer")

    def __exit__(self, *_raised: object) -> None:
        self._lock.release()
