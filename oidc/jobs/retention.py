"""Forgetting in time: what expired, what is long over, and the audit log's oldest entries.

Every table of the protocol database has a rule; ``tests/oidc/jobs/test_retention.py`` lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from oidc.types import AuditEvent

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.storage.transactions import Stores, Transactions
    from oidc.types import Clock, LoginLimits

LOGIN_RETENTION: Final = timedelta(hours=1)
"""How long a login that has ended can still tell its browser how, and be reported."""

_TALLY_DELAY: Final = LOGIN_RETENTION + timedelta(hours=1, minutes=5)
"""How long after its beginning an hour may still get logins: they are counted when they go."""


@dataclass(frozen=True, slots=True)
class RetentionJobs:
    """Two rounds, one every few seconds and one every hour. Blocking; safe in every process.

    Attributes:
        transactions: what is tidied.
        limits: how long a login nobody scanned may be renewed.
        audit_retention: how long the audit log is kept.
        clock: tells the time.
    """

    transactions: Transactions
    limits: LoginLimits
    audit_retention: timedelta
    clock: Clock

    def sweep(self) -> None:
        """End what is late, erasing its accounts, and delete what is long over."""
        now = self.clock()
        with self.transactions.write() as stores:
            stores.logins.expire(now, now - timedelta(seconds=self.limits.renewable_s))
            stores.audit.tally(stores.logins.purge(now - LOGIN_RETENTION))
            stores.grants.purge(now)
            stores.replay.purge(now)
            stores.pushed.purge(now)
            stores.sessions.purge(now)
            stores.portal_sessions.purge(now)
            stores.tokens.erase_successors(now)
            stores.known_browsers.purge(now)

    def tidy(self) -> None:
        """Delete what is kept for a while after its end; note how the logins of hours ended."""
        now = self.clock()
        with self.transactions.write() as stores:
            stores.retention.purge(now)
            stores.audit.purge(now - self.audit_retention)
            _record_login_tallies(stores, now)


def _record_login_tallies(stores: Stores, now: datetime) -> None:
    """Let the audit log say how many logins of an hour ended how: not when, whose or where."""
    taken = stores.audit.pop_tallies(now - _TALLY_DELAY)
    for hour, counts in sorted(taken.items()):
        stores.audit.record(
            AuditEvent.LOGINS_ENDED, now, hour=hour.isoformat(timespec="minutes"), **counts
        )
