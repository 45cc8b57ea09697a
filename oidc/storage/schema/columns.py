"""Kinds of column, and the columns that say whom a row belongs to.

Times are integer microseconds since 1970 (UTC); a row goes with the row it belongs to.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    ForeignKey,
    MetaData,
    String,
    Text,
    TypeDecorator,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

metadata = MetaData()


class Instant(TypeDecorator[datetime]):
    """An aware UTC time, kept as integer microseconds: the same in every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Give the database microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Give the program a time."""
        return None if value is None else _EPOCH + value * _MICROSECOND


class AccountColumn(TypeDecorator[UUID]):
    """An account, kept as text."""

    impl = String(36)
    cache_ok = True

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> str | None:
        """Give the database text."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> UUID | None:
        """Give the program an account."""
        return None if value is None else UUID(value)


class Json(TypeDecorator[Any]):
    """A JSON value kept as ASCII text: holds any string a client may send, NUL included."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401
        """Give the database text."""
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Give the program the value."""
        return None if value is None else json.loads(value)


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
    """Return the column of the client that a row belongs to."""
    return _owned("client_id", "clients", primary_key=primary_key, index=index)


def of_grant() -> Column[str]:
    """Return the column of the grant that a row belongs to."""
    return _owned("grant_id", "grants")


def of_developer() -> Column[str]:
    """Return the column of the developer that a row belongs to."""
    return _owned("developer_id", "developers")
