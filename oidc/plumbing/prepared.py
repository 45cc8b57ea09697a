"""Statements for the busiest requests, run by the driver.

SQLAlchemy spends ten times as long on a statement as SQLite does. Here text, parameters and
columns are compiled once per database; a request only calls the driver's ``execute``, in
the ordinary connection and transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Select
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection, Dialect, Executable
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.types import TypeEngine

    Convert = Callable[[Any], Any]

Row = dict[str, Any]
"""The columns of a row, by name."""

_SQLITE: Final = sqlite.dialect(paramstyle="named")
"""Named parameters, as on PostgreSQL."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A statement compiled for one driver.

    Attributes:
        binds: name and converter of each parameter, in order.
        columns: name and converter of each result column.
    """

    text: str
    binds: tuple[tuple[str, Convert | None], ...]
    columns: tuple[tuple[str, Convert | None], ...]


class _Context:
    """Carries the listeners' data for one statement."""


class Prepared:
    """One statement with named parameters.

    Args:
        statement: SELECT, INSERT, UPDATE or DELETE.
        names: columns that an INSERT sets.
    """

    def __init__(self, statement: Executable, names: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._names = names
        self._ready: dict[tuple[str, str], _Ready] = {}

    def first(self, connection: Connection, values: Mapping[str, Any]) -> Row | None:
        """Return the first row, or None."""
        ready, cursor = self._run(connection, values)
        row = cursor.fetchone()
        cursor.close()
        if row is None:
            return None
        return {
            name: value if convert is None or value is None else convert(value)
            for (name, convert), value in zip(ready.columns, row, strict=True)
        }

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Return how many rows were changed."""
        _, cursor = self._run(connection, values)
        changed: int = cursor.rowcount
        cursor.close()
        return changed

    def _run(self, connection: Connection, values: Mapping[str, Any]) -> tuple[_Ready, Any]:
        dialect = connection.dialect
        ready = self._ready.get((dialect.name, dialect.paramstyle)) or self._prepare(dialect)
        cursor: Any = connection.connection.cursor()
        bound = {
            name: values[name] if convert is None else convert(values[name])
            for name, convert in ready.binds
        }
        arguments = (connection, cursor, ready.text, bound, _Context(), False)
        for listener in connection.dispatch.before_cursor_execute:
            listener(*arguments)
        cursor.execute(ready.text, bound)
        for listener in connection.dispatch.after_cursor_execute:
            listener(*arguments)
        return ready, cursor

    def _prepare(self, dialect: Dialect) -> _Ready:
        used = _SQLITE if dialect.name == "sqlite" else dialect
        compiled: SQLCompiler = self._statement.compile(  # type: ignore[attr-defined]
            dialect=used, column_keys=self._names
        )
        binds = tuple(
            (name, _impl(bind.type, used).bind_processor(used))
            for name, bind in compiled.binds.items()
        )
        columns: tuple[tuple[str, Convert | None], ...] = ()
        if isinstance(self._statement, Select):
            columns = tuple(
                (column.name, _impl(column.type, used).result_processor(used, None))
                for column in self._statement.selected_columns
                if hasattr(column, "name")
            )
        ready = _Ready(str(compiled), binds, columns)
        self._ready[dialect.name, dialect.paramstyle] = ready
        return ready


def _impl(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return kind.dialect_impl(dialect)
