"""Logout notices in SQL."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from oidc.storage.logouts import LogoutNotice, NoticeId
from oidc.storage.schema import logout_notices
from oidc.types import ClientId, PairwiseSubject, Sid

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, RowMapping


class SqlLogoutNotices:
    """Implements ``LogoutNoticeStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, notices: Sequence[LogoutNotice]) -> None:
        """Add notices."""
        if notices:
            rows = [asdict(notice) for notice in notices]
            self._connection.execute(insert(logout_notices), rows)

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[LogoutNotice]:
        """Return due notices, oldest first, and postpone them."""
        query = (
            select(logout_notices)
            .where(logout_notices.c.due_at <= now)
            .order_by(logout_notices.c.due_at, logout_notices.c.notice_id)
            .limit(count)
            # Skips notices locked by another process.
            .with_for_update(skip_locked=True)
        )
        due = [_notice(row) for row in self._connection.execute(query).mappings()]
        if not due:
            return []
        change = update(logout_notices).where(
            logout_notices.c.notice_id.in_([notice.notice_id for notice in due])
        )
        put_off = change.values(due_at=until, attempts=logout_notices.c.attempts + 1)
        self._connection.execute(put_off)
        return [replace(each, due_at=until, attempts=each.attempts + 1) for each in due]

    def postpone(self, notice: LogoutNotice, until: datetime) -> None:
        """Postpone a claimed notice."""
        change = update(logout_notices).where(logout_notices.c.notice_id == notice.notice_id)
        self._connection.execute(change.values(due_at=until))

    def remove(self, notice_id: NoticeId) -> None:
        """Delete a notice."""
        self._connection.execute(
            delete(logout_notices).where(logout_notices.c.notice_id == notice_id)
        )


def _notice(row: RowMapping) -> LogoutNotice:
    return LogoutNotice(
        notice_id=NoticeId(row["notice_id"]),
        client_id=ClientId(row["client_id"]),
        subject=PairwiseSubject(row["subject"]),
        sid=None if row["sid"] is None else Sid(row["sid"]),
        attempts=row["attempts"],
        due_at=row["due_at"],
    )
