"""Port: logouts that clients have yet to be told of: an outbox. Who claims one, sends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, PairwiseSubject, Sid

NoticeId = NewType("NoticeId", str)
"""Names one notice."""


@dataclass(frozen=True, slots=True)
class LogoutNotice:
    """One client that is to be told that one person signed out.

    Attributes:
        notice_id: names it.
        client_id: who is to be told.
        subject: who signed out, as that client knows them.
        sid: of which session; None for all of them.
        attempts: how often it was claimed.
        due_at: when it is to be sent, or tried again; aware, UTC.
    """

    notice_id: NoticeId
    client_id: ClientId
    subject: PairwiseSubject
    sid: Sid | None
    attempts: int
    due_at: datetime


class LogoutNoticeStore(Protocol):
    """Keeps notices until they are delivered or given up."""

    def add(self, notices: Sequence[LogoutNotice]) -> None:
        """Keep new notices."""

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[LogoutNotice]:
        """Return notices that are due, oldest first, and put them off until then.

        Atomic: of several concurrent calls each notice goes to one. A process that dies with
        a notice in its hands has only put it off.
        """

    def postpone(self, notice: LogoutNotice, until: datetime) -> None:
        """Put a claimed notice off until then."""

    def remove(self, notice_id: NoticeId) -> None:
        """Forget a notice: delivered, or given up."""
