"""Stands in for a driver's connection inside an event loop.

Runs prepared statements only. Anything else raises ``ThreadNeeded`` before it is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from sqlalchemy import Dialect, make_url

from oidc.storage.sql.pipelined_connection import statement
from oidc.storage.transactions import ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Engine

    from oidc.storage.sql.pipelined_connection import Reply, Statement

    Ask = Callable[[Statement], Reply]
    """Sends a statement and waits without blocking the loop."""

_POSTGRESQL: Final[Any] = make_url("postgresql+psycopg://").get_dialect()
_DIALECT: Final[Dialect] = _POSTGRESQL(paramstyle="numeric_dollar")
"""Numbered parameters, as the server counts them; values unchanged."""


class PreparedConnection:
    """The part of a connection that ``Prepared`` uses.

    Args:
        engine: its statement listeners are called.
        ask: sends statements.
    """

    dialect = _DIALECT

    def __init__(self, engine: Engine, ask: Ask) -> None:
        self.dispatch = engine.dispatch
        self._ask = ask

    @property
    def connection(self) -> PreparedConnection:
        """The driver's connection: this."""
        return self

    def cursor(self) -> Cursor:
        """Return a cursor for one statement."""
        return Cursor(self._ask)

    def execute(self, *_statement: object, **_options: object) -> NoReturn:
        """Refuse an unprepared statement."""
        raise ThreadNeeded


class Cursor:
    """One statement and its reply."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def execute(self, text: str, bound: Mapping[str, Any]) -> None:
        """Run the statement; values in the order of their numbers."""
        self._reply = self._ask(statement(text, tuple(bound.values())))

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        return self._reply.rows[0] if self._reply.rows else None

    @property
    def rowcount(self) -> int:
        """Number of changed rows."""
        return self._reply.changed

    def close(self) -> None:
        """Do nothing."""
