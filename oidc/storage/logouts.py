"""Outbox of back-channel logout notices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, PairwiseSubject, Sid

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


class LogoutNoticeStore(Protocol):
    """Stores notices until they are delivered or given up."""

    def add(self, notices: Sequence[LogoutNotice]) -> None:
        """Add notices."""

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[LogoutNotice]:
        """Return due notices, oldest first, and postpone them.

        Atomic: concurrent calls never get the same notice. If the process dies, the notice is
        due again at ``until``.
        """

    def postpone(self, notice: LogoutNotice, until: datetime) -> None:
        """Postpone a claimed notice."""

    def remove(self, notice_id: NoticeId) -> None:
        """Delete a notice that was delivered or given up."""
