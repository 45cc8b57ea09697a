"""Retention: ends what has expired and deletes what was kept long enough.

``tests/oidc/jobs/test_retention.py`` lists the rule of every table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from oidc.plumbing.patience import JOBS, patience
from oidc.storage.database import Database
from oidc.storage.transactions import Stores
from oidc.types import AuditEvent, Clock, LoginLimits, Retention

LOGIN_RETENTION: Final = timedelta(hours=1)
"""How long an ended login still shows its result and can be reported."""

BEGUN_KEPT: Final = timedelta(hours=1)
"""How long a pushed request is kept for the sign-ins that it began: they spend it."""

_TALLY_DELAY: Final = LOGIN_RETENTION + timedelta(hours=1, minutes=5)
"""Until an hour's count is final: logins are counted when they are deleted."""


@dataclass(frozen=True, slots=True)
class RetentionJobs:
    """Two jobs, run every few seconds and every hour. Blocking; safe in every process.

    Attributes:
        limits: how long an unscanned login may be renewed.
        retention: of the audit log and of sign-ins.
    """

    database: Database
    limits: LoginLimits
    retention: Retention
    clock: Clock

    @patience(JOBS)
    def sweep(self) -> None:
        """End expired logins, erasing their accounts, and delete expired rows."""
        now = self.clock()
        with self.database.write() as stores:
            stores.logins.expire(now, now - timedelta(seconds=self.limits.renewable_s))
            ended = stores.logins.purge(now - LOGIN_RETENTION)
            stores.audit.tally(ended)
            stores.login_days.add(ended)
            stores.grants.purge(now)
            stores.replay.purge(now)
            stores.pushed.purge(now - BEGUN_KEPT)
            stores.sessions.purge(now)
            stores.portal_sessions.purge(now)
            stores.client_teams.purge(now)
            stores.team_notices.purge(now)
            stores.tokens.erase_successors(now)
            stores.known_browsers.purge(now)

    @patience(JOBS)
    def purge(self) -> None:
        """Delete rows past their retention period and record hourly login counts."""
        now = self.clock()
        with self.database.write() as stores:
            stores.retention.purge(now)
            stores.sign_ins.purge(now - self.retention.sign_ins)
            stores.audit.purge(now - self.retention.audit)
            _record_login_tallies(stores, now)


def _record_login_tallies(stores: Stores, now: datetime) -> None:
    """Record how many logins of an hour ended how, without times, people or clients."""
    taken = stores.audit.pop_tallies(now - _TALLY_DELAY)
    for hour, counts in sorted(taken.items()):
        stores.audit.record(
            AuditEvent.LOGINS_ENDED, now, hour=hour.isoformat(timespec="minutes"), **counts
        )
