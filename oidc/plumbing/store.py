"""Base of the stores, and statements for the busiest requests, run by the driver.

A record is a frozen dataclass. Its fields are columns of one table, by name.

SQLAlchemy spends ten times as long on a statement as SQLite does. Of a prepared one, text,
parameters and columns are compiled once per database; a request only calls the driver's
``execute``, in the ordinary connection and transaction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, Final, TypeVar, cast

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    FromClause,
    RowMapping,
    Select,
    Table,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.types import TypeEngine

R = TypeVar("R")
Row = Mapping[str, Any]


class Store:
    """A store on the connection of one transaction. It never commits: its caller does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _add(self, table: Table, record: object, **more: object) -> None:
        """Insert a record, with more columns."""
        self._connection.execute(insert(table), values_of(record, table) | more)

    def _update(
        self, table: Table, /, new: Row, *which: ColumnElement[bool], **equal: object
    ) -> int:
        """Change the rows that meet all conditions; return how many."""
        its = update(table).where(*these(table, *which, **equal))
        return self._changed(its.values(dict(new)))

    def _delete(self, table: Table, /, *which: ColumnElement[bool], **equal: object) -> int:
        """Delete the rows that meet all conditions; return how many."""
        return self._changed(delete(table).where(*these(table, *which, **equal)))

    def _has(self, table: Table, /, *which: ColumnElement[bool], **equal: object) -> bool:
        """Return whether a row meets all conditions."""
        found = select(literal(1)).select_from(table)
        return self._exists(found.where(*these(table, *which, **equal)))

    def _value(self, column: Column[R], **equal: object) -> R | None:
        """Return the column of the row with these values; None without one."""
        query = select(column).where(*these(column.table, **equal))
        return self._connection.execute(query).scalar_one_or_none()

    def _put(self, table: Table, values: Row) -> None:
        """Insert a row, or replace these values of the one with its primary key."""
        new = self._insert(table).values(values)
        key = [column.name for column in table.primary_key]
        other = {name: new.excluded[name] for name in values if name not in key}
        self._connection.execute(new.on_conflict_do_update(index_elements=key, set_=other))

    def _one(self, kind: type[R], query: Executable) -> R | None:
        """Return the record that a query finds, or None."""
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else record_of(kind, row)

    def _row(self, query: Executable) -> Any:  # noqa: ANN401
        """Return the row that a query finds, or None."""
        return self._connection.execute(query).one_or_none()

    def _all(self, kind: type[R], query: Executable) -> list[R]:
        """Return the records that a query finds, in its order."""
        return [record_of(kind, row) for row in self._connection.execute(query).mappings()]

    def _count_rows(self, *conditions: ColumnElement[bool]) -> int:
        """Return how many rows meet all conditions, of the table that they name."""
        return self._connection.execute(select(func.count()).where(*conditions)).scalar_one()

    def _exists(self, query: Executable) -> bool:
        """Return whether a query finds a row."""
        return self._connection.execute(query).first() is not None

    def _changed(self, change: UpdateBase) -> int:
        """Return how many rows a statement changed."""
        return self._connection.execute(change).rowcount

    def _purge(self, table: Table, is_over: ColumnElement[bool]) -> int:
        """Delete rows by their key, but for those that are locked just now; return how many."""
        (key,) = table.primary_key
        free = select(key).where(is_over).with_for_update(skip_locked=True)
        return self._changed(delete(table).where(key.in_(free)))

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """Return an INSERT that can say what happens on conflict."""
        is_sqlite = self._connection.dialect.name == "sqlite"
        return sqlite.insert(table) if is_sqlite else postgresql.insert(table)

    def _add_counts(self, table: Table, counts: Mapping[tuple[Any, ...], int]) -> None:
        """Add to the column ``count`` of these primary keys."""
        names = [each.name for each in table.primary_key]
        # In one order, so that concurrent sweeps cannot deadlock.
        for key, count in sorted(counts.items()):
            new = self._insert(table).values(**dict(zip(names, key, strict=True)), count=count)
            more = {"count": table.c.count + new.excluded.count}
            self._connection.execute(new.on_conflict_do_update(index_elements=names, set_=more))

    def _insert_if_absent(self, table: Table, **values: object) -> bool:
        """Insert a row; False if its primary key, or another unique value, is taken.

        Atomic: of two concurrent calls, exactly one gets True.
        """
        # Known from the returned key: the row count of such a statement differs by driver.
        key = table.primary_key.columns.values()[0]
        statement = self._insert(table).on_conflict_do_nothing().returning(key)
        return self._connection.execute(statement, values).first() is not None


def these(
    table: FromClause, /, *which: ColumnElement[bool], **equal: object
) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions, and that columns have these values."""
    return (*which, *(table.c[name] == value for name, value in equal.items()))


def rows(table: Table, /, *which: ColumnElement[bool], **equal: object) -> Select[Any]:
    """Return the SELECT of the rows that meet all conditions."""
    return select(table).where(*these(table, *which, **equal))


def record_of(kind: type[R], row: Mapping[str, Any] | RowMapping) -> R:
    """Return the record in a row, which may have more columns."""
    return kind(**{name: row[name] for name in _field_names(cast("Any", kind))})


def known_of(kind: type, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record has fields for: a newer program may have stored more."""
    return {name: stored[name] for name in _field_names(cast("Any", kind)) if name in stored}


def columns_of(kind: type, table: Table, **computed: ColumnElement[Any]) -> list[Any]:
    """Return the columns of a record, in the order of its fields."""
    return [computed.get(name, table.c.get(name)) for name in _field_names(cast("Any", kind))]


def values_of(record: object, table: Table) -> dict[str, Any]:
    """Return the columns that a record holds; its other fields are no columns."""
    own = _field_names(cast("Any", type(record)))
    return {each.name: getattr(record, each.name) for each in table.c if each.name in own}


@cache
def _field_names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a dataclass
    return tuple(field.name for field in fields(kind))


Convert = Callable[[Any], Any]


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
        cursor.execute(ready.text, bound)
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
