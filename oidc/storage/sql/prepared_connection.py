"""What the prepared statements find in place of a driver's connection, inside an event loop.

Only they can be asked here. Everything else raises ``ThreadNeeded`` before it is sent.
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
    """Returns what a statement was answered; waits for it without keeping the loop."""

_POSTGRESQL: Final[Any] = make_url("postgresql+psycopg://").get_dialect()
_DIALECT: Final[Dialect] = _POSTGRESQL(paramstyle="numeric_dollar")
"""Parameters as the server itself counts them, values as they are: no driver wraps them."""


class PreparedConnection:
    """A connection, as far as ``Prepared`` uses one.

    Args:
        engine: whoever listens to its statements hears of these, too.
        ask: sends them.
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
        """Refuse: the statement is none of the prepared ones."""
        raise ThreadNeeded


class Cursor:
    """One statement and what it was answered."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def execute(self, text: str, bound: Mapping[str, Any]) -> None:
        """Ask; the values come in the order in which the text counts them."""
        self._reply = self._ask(statement(text, tuple(bound.values())))

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row; None if there is none."""
        return self._reply.rows[0] if self._reply.rows else None

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        return self._reply.changed

    def close(self) -> None:
        """Nothing is held."""
