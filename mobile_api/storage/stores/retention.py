"""What is deleted, rounded or emptied after its time."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Column, func, select, type_coerce

from mobile_api.storage import schema as t
from oidc.plumbing.columns import day_of
from oidc.plumbing.store import Store

DISPUTE_RETENTION: Final = timedelta(days=90)
"""How long a dispute code works; of these days, a palm is locked on 30 at most."""

NOTICE_RETENTION: Final = timedelta(days=90)
"""How long phones can read notices of their account."""

CLOCK_SKEW: Final = timedelta(minutes=5)
"""How long an expired nonce is kept: another process's clock may be behind."""

HISTORY_RETENTION: Final = timedelta(minutes=30)
"""Retention of the change feed, which is in order; a process away longer compares all names."""

FOLLOW_TIME: Final = timedelta(seconds=5)
"""How long galleries may take to follow an erasure; a slower one compares all its names."""

_DAY_MS: Final = 86_400_000


class Retention(Store):
    """Rules for tables whose rows end by themselves."""

    def purge(self, now: datetime) -> None:
        """Delete what is over, and what names an account in the change feed."""
        over = {
            t.spent_nonces.c.expires_at: now - CLOCK_SKEW,
            t.enrolments.c.expires_at: now,
            t.challenges.c.expires_at: now,
            t.stations.c.code_ends_at: now,
            t.motion_codes.c.expires_at: now,
            t.attempts.c.at: day_of(now),
            t.disputes.c.opened_at: now - DISPUTE_RETENTION,
            t.notices.c.at: now - NOTICE_RETENTION,
        }
        for column, end in over.items():
            self._delete(column.table, column < end)
        self.purge_history(now - HISTORY_RETENTION)
        self.forget_erased(now - FOLLOW_TIME)

    def round_times(self, now: datetime, passkeys_before: datetime) -> None:
        """Round to days the ends of waiting that have passed, and earlier uses of passkeys."""
        self._round(t.devices.c.due_at, now)
        self._round(t.trusted_devices.c.at, passkeys_before)

    def forget_erased(self, before: datetime) -> None:
        """Erase accounts that no longer exist from changes older than this."""
        changes = t.gallery_changes.c
        exists = select(t.accounts.c.account).where(t.accounts.c.account == changes.account)
        erased = changes.account.is_not(None) & (changes.at < before) & ~exists.exists()
        self._update(t.gallery_changes, {"account": None}, erased)

    def purge_history(self, before: datetime) -> None:
        """Delete older changes but the last, which shows gaps; delete that one's account."""
        changes = t.gallery_changes.c
        is_old = changes.at < before
        last = select(func.max(changes.sequence)).where(is_old).scalar_subquery()
        self._delete(t.gallery_changes, is_old, changes.sequence < last)
        self._update(t.gallery_changes, {"account": None}, is_old, changes.account.is_not(None))

    def _round(self, column: Column[Any], before: datetime) -> None:
        time_ms = type_coerce(column, BigInteger)
        rounded = {column.name: time_ms - time_ms % _DAY_MS}
        self._update(column.table, rounded, column < before, time_ms % _DAY_MS != 0)
