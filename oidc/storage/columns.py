"""Column types and foreign keys.

Times are integer microseconds since 1970 (UTC); rows are deleted with their owner.
"""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Column, Dialect, ForeignKey, MetaData, String, Table, Text, TypeDecorator
from sqlalchemy.schema import SchemaItem

from oidc.plumbing.columns import Moment

metadata = MetaData()


class Instant(Moment):
    """An exact time."""

    cache_ok = True
    unit = timedelta(microseconds=1)


class Day(Instant):
    """The day of a time: equal times would link rows of one person."""

    cache_ok = True
    is_day = True


class AccountColumn(TypeDecorator[UUID]):
    """An account, stored as text."""

    impl = String(36)
    cache_ok = True

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> str | None:
        """Return text."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> UUID | None:
        """Return an account."""
        return None if value is None else UUID(value)


class Json(TypeDecorator[Any]):
    """A JSON value, stored as ASCII text: any string a client sends fits, NUL included.

    An array comes back as a tuple.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401
        """Return text."""
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Return the value."""
        found = None if value is None else json.loads(value)
        return tuple(found) if isinstance(found, list) else found


def _owned(
    column: str, owner: str, *, primary_key: bool = False, index: bool = True
) -> Column[str]:
    return Column(
        column,
        ForeignKey(f"{owner}.{column}", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        index=index,
    )


def of_client(*, primary_key: bool = False, index: bool = False) -> Column[str]:
    """Return the foreign key to a client."""
    return _owned("client_id", "clients", primary_key=primary_key, index=index)


def of_grant() -> Column[str]:
    """Return the foreign key to a grant."""
    return _owned("grant_id", "grants")


def of_developer(*, primary_key: bool = False) -> Column[str]:
    """Return the foreign key to a developer."""
    return _owned("developer_id", "developers", primary_key=primary_key)


def table(name: str, *items: SchemaItem, **options: Any) -> Table:  # noqa: ANN401
    """Return a table of the protocol database."""
    return Table(name, metadata, *items, **options)
