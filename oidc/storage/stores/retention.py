"""Retention periods, and deletion of what has exceeded them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, func, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.storage.stores.logins.login_days import COUNT_RETENTION
from oidc.storage.stores.processes import SILENCE

ENDED_RETENTION: Final = timedelta(days=30)
"""Of unused invitations and initial access tokens, after their end."""

ERROR_RETENTION: Final = timedelta(days=90)
"""Of client errors, unless newer ones replace them."""


class RetentionStore(Store):
    """Deletes rows that no other store deletes."""

    def purge(self, now: datetime) -> None:
        """Delete rows past retention, retired keys and replaced secrets."""
        for table, is_over in _over(now):
            self._connection.execute(delete(table).where(is_over))
        former = update(t.clients).where(t.clients.c.former_secret_ends_at <= now)
        cleared = {"former_secret_digest": None, "former_secret_ends_at": None}
        self._connection.execute(former.values(cleared))


def _over(now: datetime) -> tuple[tuple[Table, ColumnElement[bool]], ...]:
    ended_before, tokens = now - ENDED_RETENTION, t.initial_access_tokens.c
    token_ended_at = func.coalesce(tokens.revoked_at, tokens.expires_at)
    is_unused = t.developers.c.joined_at.is_(None)
    return (
        (t.initial_access_tokens, token_ended_at < ended_before),
        (t.developers, is_unused & (t.developers.c.invitation_ends_at < ended_before)),
        (t.client_errors, t.client_errors.c.happened_at < now - ERROR_RETENTION),
        (t.login_days, t.login_days.c.day < now - COUNT_RETENTION),
        (t.processes, t.processes.c.seen_at < now - SILENCE),
        (t.signing_keys, t.signing_keys.c.retires_at <= now),
    )
