"""Enqueues logout notices, in the transaction that ends a session or pseudonym."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from oidc.protocol import new_identifier
from oidc.storage.database import Stores
from oidc.storage.stores.sessions import LogoutNotice, NoticeId
from oidc.types import ClientId, Grant, PairwiseSubject, Sid

_AT_ONCE: Final = timedelta(0)


def enqueue(stores: Stores, granted: Iterable[Grant], now: datetime) -> None:
    """Enqueue the end of these grants' sessions."""
    sessions = {(grant.client_id, grant.subject, grant.sid) for grant in granted}
    _add(stores, sessions, now, _AT_ONCE)


def enqueue_all_sessions(
    stores: Stores, granted: Iterable[Grant], now: datetime, within: timedelta = _AT_ONCE
) -> None:
    """Enqueue the end of all sessions of these grants' subjects.

    One notice for each client without ``sid``, or one for each session where required
    (Back-Channel Logout 1.0 §2.2). Each at a random time ``within``.
    """
    sessions = {(grant.client_id, grant.subject, grant.sid) for grant in granted}
    requiring_sid = {name for name, _, _ in sessions if _requires_sid(stores, name)}
    notices = {
        (name, subject, sid if name in requiring_sid else None)
        for name, subject, sid in sessions
    }
    _add(stores, notices, now, within)


def _add(
    stores: Stores,
    notices: set[tuple[ClientId, PairwiseSubject, Sid | None]],
    now: datetime,
    within: timedelta,
) -> None:
    reachable = {client_id for client_id, _, _ in notices if _has_logout_uri(stores, client_id)}
    stores.logouts.add(
        [
            LogoutNotice(
                NoticeId(new_identifier()), client_id, subject, sid, 0, now + _part_of(within)
            )
            for client_id, subject, sid in sorted(notices, key=str)
            if client_id in reachable
        ]
    )


def _part_of(span: timedelta) -> timedelta:
    return timedelta(seconds=secrets.randbelow(int(span.total_seconds()) + 1))


def _has_logout_uri(stores: Stores, client_id: ClientId) -> bool:
    client = stores.clients.find(client_id)
    return client is not None and client.backchannel_logout_uri is not None


def _requires_sid(stores: Stores, client_id: ClientId) -> bool:
    client = stores.clients.find(client_id)
    return client is not None and client.backchannel_logout_session_required
