"""Palms that were presented, counted by phone, by network and in all."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from mobile_api.storage import schema as t
from mobile_api.types import AttemptLimits, Device, EnrolmentId, Networks, Question
from oidc.plumbing.store import Store

_ATTEMPTS_LOCK: Final = 7_226_001
"""PostgreSQL advisory lock for counting attempts."""

_ATTEMPT: Final = t.attempts.c
_ADD: Final = insert(t.attempts).returning(_ATTEMPT.attempt)
_CLEARED: Final = update(t.attempts).values(failed=Question.NONE.value)
_CLEAR: Final = _CLEARED.where(_ATTEMPT.attempt == bindparam("number"))
_OF_SAMPLES: Final = select(t.enrolment_samples.c.attempt).where(
    t.enrolment_samples.c.enrolment_id == bindparam("its_id")
)
_CLEAR_SAMPLES: Final = _CLEARED.where(_ATTEMPT.attempt.in_(_OF_SAMPLES))

_IS_LATE: Final = _ATTEMPT.at > bindparam("since")
_ASKS_ANYBODY: Final = _ATTEMPT.failed == Question.WHOSE_PALM.value


def _spent(whose: ColumnElement[bool], asks: ColumnElement[bool]) -> Select[int, int]:
    """Select how many attempts there were, and how many of them ask without a match."""
    asked = func.coalesce(func.sum(case((asks, 1), else_=0)), 0)
    return select(func.count(), asked).where(whose, _IS_LATE)


_OF_DEVICE: Final = _spent(
    _ATTEMPT.device_id == bindparam("whose"), _ATTEMPT.failed != Question.NONE.value
)
_OF_NETWORK: Final = _spent(_ATTEMPT.network == bindparam("whose"), _ASKS_ANYBODY)
_TIMES: Final = (
    select(_ATTEMPT.at)
    .where(_ATTEMPT.device_id == bindparam("whose"), _IS_LATE)
    .order_by(_ATTEMPT.at.desc())
    .offset(bindparam("newer"))
    .limit(1)
)
_QUESTION_TIMES: Final = _TIMES.where(_ATTEMPT.failed != Question.NONE.value)
_ASKED: Final = select(func.count()).where(_ASKS_ANYBODY, _IS_LATE)
_ASKED_WIDE: Final = _ASKED.where(_ATTEMPT.network_wide == bindparam("whose"))
_ASKED_WIDEST: Final = _ASKED.where(_ATTEMPT.network_widest == bindparam("whose"))


class Attempts(Store):
    """Palms that were presented, kept for a day."""

    def add(
        self,
        device: Device,
        at: datetime,
        since: datetime,
        limits: AttemptLimits,
        question: Question,
    ) -> int | None:
        """Record an attempt and return its number; None if a limit is reached.

        Atomic: concurrent calls never exceed a limit. A question counts as one without a match,
        until ``clear``; ``OWN_PALM`` is limited by the phone alone.
        """
        self._lock()
        if not self.has_room(device, since, limits, question):
            return None
        networks = device.networks
        values = {
            "device_id": device.device_id,
            "at": at,
            "failed": question.value,
            "network": networks and networks.narrow,
            "network_wide": networks and networks.wide,
            "network_widest": networks and networks.widest,
        }
        number: int = self._connection.execute(_ADD, values).scalar_one()
        return number

    def clear(self, attempt: int) -> None:
        """Record that this attempt's question had a match, or was not asked."""
        self._connection.execute(_CLEAR, {"number": attempt})

    def clear_samples(self, enrolment_id: EnrolmentId) -> None:
        """Clear the attempts of an enrolment's samples; call it before they are deleted."""
        self._connection.execute(_CLEAR_SAMPLES, {"its_id": enrolment_id})

    def purge(self, before: datetime) -> None:
        """Delete attempts older than this."""
        self._connection.execute(delete(t.attempts).where(_ATTEMPT.at < before))

    def _lock(self) -> None:
        """Make counting and inserting atomic; SQLite has one writer anyway."""
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(select(func.pg_advisory_xact_lock(_ATTEMPTS_LOCK)))

    def has_room(
        self, device: Device, since: datetime, limits: AttemptLimits, question: Question
    ) -> bool:
        """Tell whether ``add`` would record one now."""
        spent, asked = self._spent(_OF_DEVICE, device.device_id, since)
        if spent >= limits.submissions or asked >= limits.failed_identifications:
            return False
        asks_anybody = question is Question.WHOSE_PALM
        if device.networks is not None:
            spent, asked = self._spent(_OF_NETWORK, device.networks.narrow, since)
            if spent >= limits.network_submissions:
                return False
            if asks_anybody and asked >= limits.network_failed:
                return False
        return not asks_anybody or self._others_leave_room(device.networks, since, limits)

    def in_the_way(
        self, device: Device, since: datetime, limits: AttemptLimits
    ) -> datetime | None:
        """Return when the attempt was that leaves this device no room; None: it has some."""
        counted = (
            (_TIMES, limits.submissions),
            (_QUESTION_TIMES, limits.failed_identifications),
        )
        times = [self._time(query, device, since, limit - 1) for query, limit in counted]
        return max((at for at in times if at is not None), default=None)

    def _time(
        self, query: Select[datetime], device: Device, since: datetime, newer: int
    ) -> datetime | None:
        """Return when the attempt was that has so many newer ones."""
        return self._connection.execute(
            query, {"whose": device.device_id, "since": since, "newer": newer}
        ).scalar_one_or_none()

    def _others_leave_room(
        self, networks: Networks | None, since: datetime, limits: AttemptLimits
    ) -> bool:
        """Tell whether the wider networks and everybody leave room.

        A part of the total is for networks whose widest one asked no more than a phone may.
        """
        most = limits.strangers_failed - limits.new_networks_failed
        if networks is not None:
            widest = self._asked(_ASKED_WIDEST, since, networks.widest)
            if widest >= limits.network_widest_failed:
                return False
            if self._asked(_ASKED_WIDE, since, networks.wide) >= limits.network_wide_failed:
                return False
            if widest < limits.failed_identifications:
                most = limits.strangers_failed
        return self._asked(_ASKED, since) < most

    def _spent(self, count: Select[int, int], whose: str, since: datetime) -> tuple[int, int]:
        """Return how many attempts there were, and how many ask without a match."""
        spent, asked = self._connection.execute(count, {"whose": whose, "since": since}).one()
        return spent, asked

    def _asked(self, count: Select[int], since: datetime, whose: str | None = None) -> int:
        """Return how many questions about anybody have no match."""
        asked: int = self._connection.execute(
            count, {"whose": whose, "since": since}
        ).scalar_one()
        return asked
