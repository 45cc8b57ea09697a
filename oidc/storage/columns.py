"""Column types and foreign keys.

Times are integer microseconds since 1970 (UTC); rows are deleted with their owner.
"""

import json
from datetime import UTC, datetime, timedelta
from enum import StrEnum
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

from oidc.plumbing.store import day_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

metadata = MetaData()


class Instant(TypeDecorator[datetime]):
    """An aware UTC time, stored as integer microseconds."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Return microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Return a time."""
        return None if value is None else _EPOCH + value * _MICROSECOND


class Day(Instant):
    """The day of a time: equal times would link rows of one person."""

    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Return microseconds of its start, UTC."""
        return super().process_bind_param(value and day_of(value), dialect)


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


class Choice(TypeDecorator[StrEnum]):
    """A member of an enumeration, stored as its value."""

    impl = String
    cache_ok = True

    def __init__(self, kind: type[StrEnum], length: int) -> None:
        super().__init__(length)
        self.kind = kind

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        """Return the member."""
        return None if value is None else self.kind(value)


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
