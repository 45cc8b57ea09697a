"""Outbox of back-channel logout notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import NewType

from sqlalchemy import delete, insert, select, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import ClientId, PairwiseSubject, Sid

_NOTICE = t.logout_notices.c

NoticeId = NewType("NoticeId", str)
"""Identifies a notice."""


@dataclass(frozen=True, slots=True)
class LogoutNotice:
    """A logout that one client has yet to be notified of.

    Attributes:
        subject: the person's pseudonym at that client.
        sid: the session; None for all of them.
        attempts: how often it was claimed.
        due_at: when to send or retry.
    """

    notice_id: NoticeId
    client_id: ClientId
    subject: PairwiseSubject
    sid: Sid | None
    attempts: int
    due_at: datetime


class LogoutNoticeStore(Store):
    """Stores notices until they are delivered or given up."""

    def add(self, notices: Sequence[LogoutNotice]) -> None:
        """Add notices."""
        if notices:
            rows = [asdict(notice) for notice in notices]
            self._connection.execute(insert(t.logout_notices), rows)

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[LogoutNotice]:
        """Return due notices, oldest first, and postpone them.

        Atomic: concurrent calls never get the same notice. If the process dies, the notice is
        due again at ``until``.
        """
        query = (
            select(t.logout_notices)
            .where(_NOTICE.due_at <= now)
            .order_by(_NOTICE.due_at, _NOTICE.notice_id)
            .limit(count)
            # Skips notices locked by another process.
            .with_for_update(skip_locked=True)
        )
        due = self._all(LogoutNotice, query)
        if not due:
            return []
        change = update(t.logout_notices).where(
            _NOTICE.notice_id.in_([notice.notice_id for notice in due])
        )
        put_off = change.values(due_at=until, attempts=_NOTICE.attempts + 1)
        self._changed(put_off)
        return [replace(each, due_at=until, attempts=each.attempts + 1) for each in due]

    def count_due(self, now: datetime) -> int:
        """Return how many notices should have been delivered."""
        return self._count_rows(_NOTICE.due_at <= now)

    def count_failed(self) -> int:
        """Return how many notices were not taken, and will be tried again."""
        return self._count_rows(_NOTICE.attempts > 0)

    def postpone(self, notice: LogoutNotice, until: datetime) -> None:
        """Postpone a claimed notice."""
        change = update(t.logout_notices).where(_NOTICE.notice_id == notice.notice_id)
        self._changed(change.values(due_at=until))

    def remove(self, notice_id: NoticeId) -> None:
        """Delete a notice that was delivered or given up."""
        self._changed(delete(t.logout_notices).where(_NOTICE.notice_id == notice_id))
