"""Base of the stores, and how a record becomes a row and a row a record.

A record is a frozen dataclass. Its fields are columns of one table, by name.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import delete, func, insert, select
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Column, ColumnElement, Connection, Executable, RowMapping, Table
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.sql.dml import UpdateBase

R = TypeVar("R")


class Store:
    """A store on the connection of one transaction. It never commits: its caller does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _add(self, table: Table, record: object) -> None:
        """Insert a record."""
        self._connection.execute(insert(table), values_of(record, table))

    def _put(self, table: Table, values: Mapping[str, Any]) -> None:
        """Insert a row, or replace these values of the one with its primary key."""
        new = self._insert(table).values(values)
        key = [column.name for column in table.primary_key]
        other = {name: new.excluded[name] for name in values if name not in key}
        self._connection.execute(new.on_conflict_do_update(index_elements=key, set_=other))

    def _one(self, kind: type[R], query: Executable) -> R | None:
        """Return the record that a query finds, or None."""
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else record_of(kind, row)

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

    def _purge(self, key: Column[Any], is_over: ColumnElement[bool]) -> int:
        """Delete rows by their key, but for those that are locked just now; return how many."""
        free = select(key).where(is_over).with_for_update(skip_locked=True)
        return self._changed(delete(key.table).where(key.in_(free)))

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """Return an INSERT that can say what happens on conflict."""
        if self._connection.dialect.name == "sqlite":
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - SQLite needs none of it

        return postgresql.insert(table)

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
