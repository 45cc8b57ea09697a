"""Store of how many logins of each client ended how on each day: no person, hour or login."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, func, select, type_coerce, union_all

from oidc.plumbing.days import day_of
from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.storage.stores.logins.logins import Ended
from oidc.types import OPEN_STATES, ClientId, LoginState

COUNT_RETENTION: Final = timedelta(days=28)
"""Of the counts of a day."""

_DAY_US: Final = 86_400_000_000
_FIRST_DAY: Final = date(1970, 1, 1)


class LoginDayStore(Store):
    """Counts logins when they are deleted; the latest ones are still rows of their own."""

    def add(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins."""
        counts = Counter[tuple[Any, ...]]()
        for each, count in ended.items():
            counts[each.client_id, day_of(each.hour), each.state] += count
        self._add_counts(t.login_days, counts)

    def of(self, client_id: ClientId, since: datetime) -> Counter[tuple[date, LoginState]]:
        """Return how many logins of a client ended on each day (UTC), and how."""
        kept, present = t.login_days.c, t.logins.c
        ended_on, end = _number(kept.day), present.state.not_in(sorted(OPEN_STATES))
        counted = select(ended_on.label("day"), kept.state, kept.count).where(
            kept.client_id == client_id, kept.day >= since
        )
        ends_on = _number(present.expires_at)
        rows = select(ends_on, present.state, func.count()).where(
            present.client_id == client_id, present.expires_at >= since, end
        )
        found = union_all(counted, rows.group_by(ends_on, present.state))
        days = Counter[tuple[date, LoginState]]()
        for day, state, count in self._connection.execute(found):
            days[_FIRST_DAY + timedelta(days=day), LoginState(state)] += count
        return days


def _number(column: Any) -> Any:  # noqa: ANN401 - an expression of SQLAlchemy
    """Return the number of a time's day."""
    return type_coerce(column, BigInteger) // _DAY_US
