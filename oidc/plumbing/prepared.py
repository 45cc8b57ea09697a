"""Statements for the busiest requests, run by the driver.

SQLAlchemy spends ten times as long on a statement as SQLite does. Here text, parameters and
columns are compiled once per database; a request only calls the driver's ``execute``, in
the ordinary connection and transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Dialect, Executable, Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any]

R = TypeVar("R")

REMEMBERED: Final = 1024
"""Records of one statement."""

_SQLITE: Final = sqlite.dialect(paramstyle="named")
"""Named parameters, as on PostgreSQL."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A statement compiled for one driver.

    Attributes:
        binds: name and converter of each parameter, in order.
        columns: converter of each result column, in order.
    """

    text: str
    binds: tuple[tuple[str, Convert | None], ...]
    columns: tuple[Convert | None, ...]


class _Context:
    """Carries the listeners' data for one statement."""


class Prepared:
    """One statement with named parameters.

    Args:
        statement: SELECT, INSERT, UPDATE or DELETE.
        names: columns that an INSERT sets.
        remembers: whether an identical row gives the record that was made before.
    """

    def __init__(
        self,
        statement: Executable,
        names: Sequence[str] | None = None,
        *,
        remembers: bool = False,
    ) -> None:
        self._statement, self._names = statement, names
        self._record: Any = lru_cache(REMEMBERED)(_record) if remembers else _record
        self._ready: dict[tuple[str, str], _Ready] = {}

    def find(
        self, connection: Connection, kind: type[R], values: Mapping[str, Any]
    ) -> R | None:
        """Return the first row as a record, whose fields are the columns in order, or None."""
        ready, cursor = self._run(connection, values)
        row = cursor.fetchone()
        cursor.close()
        record: R | None = row and self._record(kind, ready.columns, row)
        return record

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
        if not connection.dispatch.before_cursor_execute:  # no tracing
            cursor.execute(ready.text, bound)
            return ready, cursor
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
        chosen = self._statement.selected_columns if isinstance(self._statement, Select) else ()
        columns = tuple(_impl(each.type, used).result_processor(used, None) for each in chosen)
        ready = _Ready(str(compiled), binds, columns)
        self._ready[dialect.name, dialect.paramstyle] = ready
        return ready


def _record(kind: type[R], columns: Sequence[Convert | None], row: Sequence[Any]) -> R:
    pairs = zip(columns, row, strict=True)
    return kind(*(value if not to or value is None else to(value) for to, value in pairs))


def _impl(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return kind.dialect_impl(dialect)
