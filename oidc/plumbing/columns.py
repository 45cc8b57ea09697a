"""Column types of both databases."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Dialect, String, TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(TypeDecorator[datetime]):
    """An aware UTC time, stored as an integer number of units since 1970."""

    impl = BigInteger
    cache_ok = True
    unit: ClassVar[timedelta]
    is_day: ClassVar[bool] = False

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Return units, of a day's start if only its day is kept."""
        if value is not None and self.is_day:
            value = day_of(value)
        return None if value is None else (value - _EPOCH) // self.unit

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Return a time."""
        return None if value is None else _EPOCH + value * self.unit


class Choice(TypeDecorator[Any]):
    """A member of an enumeration, stored as its value."""

    impl = String
    cache_ok = True

    def __init__(self, kind: type[StrEnum], length: int) -> None:
        super().__init__(length)
        self.kind = kind

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        """Return the member."""
        return None if value is None else self.kind(value)


def day_of(moment: datetime) -> datetime:
    """Return the start of its day, UTC."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
