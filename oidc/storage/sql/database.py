"""Connections and transactions of the protocol database."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url

from oidc.storage.sql.clients import SqlClients
from oidc.storage.sql.grants import SqlCodes, SqlGrants, SqlTokens
from oidc.storage.sql.keys import SqlKeys
from oidc.storage.sql.logins import SqlLogins
from oidc.storage.sql.pseudonyms import SqlPseudonyms
from oidc.storage.sql.pushed import SqlPushedRequests
from oidc.storage.sql.replay import SqlReplay

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITES = "thenar_writes"
"""Execution option of connections whose transactions write."""

_SQLITE_PRAGMAS = (
    "PRAGMA busy_timeout = 10000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class SqlStores:
    """Every store, on one connection inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.clients = SqlClients(connection)
        self.logins = SqlLogins(connection)
        self.grants = SqlGrants(connection)
        self.codes = SqlCodes(connection)
        self.tokens = SqlTokens(connection)
        self.keys = SqlKeys(connection)
        self.pseudonyms = SqlPseudonyms(connection)
        self.replay = SqlReplay(connection)
        self.pushed = SqlPushedRequests(connection)


class Database:
    """Opens transactions on the protocol database. Implements ``Transactions``."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine
        self._writing = engine.execution_options(**{WRITES: True})

    @contextmanager
    def read(self) -> Iterator[SqlStores]:
        """Open a transaction that only reads."""
        with self._reading.begin() as connection:
            yield SqlStores(connection)

    @contextmanager
    def write(self) -> Iterator[SqlStores]:
        """Open a transaction: committed at the end, rolled back if an exception leaves it."""
        with self._writing.begin() as connection:
            yield SqlStores(connection)

    def close(self) -> None:
        """Close every idle connection. Later transactions open new ones."""
        self._reading.dispose()

    @property
    def engine(self) -> Engine:
        """The engine, for migrations."""
        return self._reading


def open_engine(url: str) -> Engine:
    """Return an engine for the address; for SQLite with its folder made and its pragmas set.

    Its error messages hold no parameters: they would put digests and accounts into logs.

    Write transactions on SQLite begin IMMEDIATE: two writers wait for each other at the start,
    instead of one of them failing in the middle.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    file = Path(parsed.database or "")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    engine = create_engine(parsed, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401
    # The driver's own BEGIN comes too late and is never IMMEDIATE: ours is used instead.
    connection.isolation_level = None
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
