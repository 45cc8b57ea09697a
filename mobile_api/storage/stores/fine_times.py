"""Times that are finer than a day until their deadline."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Column, type_coerce, update

from mobile_api.storage import schema as t
from oidc.plumbing.store import Store

_DAY_MS: Final = 86_400_000


class FineTimes(Store):
    """Rounds times to their day once no check needs the minute."""

    def purge(self, now: datetime, passkeys_before: datetime) -> None:
        """Round the ends of waiting that have passed, and uses of passkeys before then."""
        self._round(t.devices.c.due_at, now)
        self._round(t.trusted_devices.c.at, passkeys_before)

    def _round(self, column: Column[Any], before: datetime) -> None:
        time_ms = type_coerce(column, BigInteger)
        finer = update(column.table).where(column < before, time_ms % _DAY_MS != 0)
        self._connection.execute(finer.values({column: time_ms - time_ms % _DAY_MS}))
