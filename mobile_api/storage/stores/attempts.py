"""Palms that were presented, counted by phone, by network and in all."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Final

from sqlalchemy import Select, bindparam, case, func, insert, select, text

from mobile_api.storage import schema as t
from mobile_api.types import AttemptLimits, EnrolmentId, Networks
from oidc.plumbing.store import Store


@dataclass(frozen=True, slots=True)
class Requester:
    """The phone and networks that attempts are counted for, without naming them.

    Attributes:
        digest: of the phone, keyed: an attempt does not show whose sign-in it was.
        is_known: whether it is older than a day.
    """

    digest: str = field(repr=False)
    networks: Networks | None = field(repr=False, default=None)
    is_known: bool = False


class Question(IntEnum):
    """The question of an attempt to the gallery, until a match; stored as a number."""

    NONE = 0
    WHOSE_PALM = 1
    """Whose palm it is, or whether a phone that is not trusted has its account's palm."""
    OWN_PALM = 2
    """Only whether a trusted phone has its own account's palm; or a challenge was drawn.

    Limited by the phone alone; so are all questions of a station.
    """


_ATTEMPT: Final = t.attempts.c
_LOCK: Final = text(
    "SELECT pg_advisory_xact_lock(key) FROM unnest(CAST(:keys AS bigint[])) AS key"
)
_NO_NETWORK: Final = dict.fromkeys(("network", "network_wide", "network_widest"))
_NO_QUESTION: Final = {"question": Question.NONE.value}

_IS_TODAY: Final = _ATTEMPT.at == bindparam("day")
_ASKS_ANYBODY: Final = _ATTEMPT.question == Question.WHOSE_PALM.value
_ASKS: Final = case((_ATTEMPT.question != Question.NONE.value, 1), else_=0)
_OF_DEVICE: Final = select(func.count(), func.coalesce(func.sum(_ASKS), 0)).where(
    _ATTEMPT.requester == bindparam("whose"), _IS_TODAY
)
_ASKED: Final = select(func.count()).where(_ASKS_ANYBODY, _IS_TODAY)
_ASKED_NARROW: Final = _ASKED.where(_ATTEMPT.network == bindparam("whose"))
_ASKED_WIDE: Final = _ASKED.where(_ATTEMPT.network_wide == bindparam("whose"))
_ASKED_WIDEST: Final = _ASKED.where(_ATTEMPT.network_widest == bindparam("whose"))
_SHOWN: Final = select(func.count()).where(_ATTEMPT.network == bindparam("whose"), _IS_TODAY)

_NUMBER_BITS: Final = 62

KNOWN_SHARE: Final = 0.25
"""Questions of known phones beyond each limit that others used up, as a share of it."""


class Attempts(Store):
    """Palms that were presented on a day, without their time or order.

    Who has the key finds the phone of each; no time then says which sign-in it was.
    """

    def add(
        self, requester: Requester, day: datetime, limits: AttemptLimits, question: Question
    ) -> int | None:
        """Record an attempt and return its number; None if a limit is reached.

        Atomic: concurrent calls never exceed a limit of a phone or a network. They may exceed
        that of all networks by their own number: it has no lock, for which all would wait. A
        question counts as one without a match, until ``clear``. Other attempts are limited by
        the phone alone.
        """
        self._lock(requester, question)
        if not self.is_allowed(requester, day, limits, question):
            return None
        networks = requester.networks if question is Question.WHOSE_PALM else None
        number = secrets.randbits(_NUMBER_BITS)
        values = {"attempt": number, "requester": requester.digest, "at": day}
        values |= {"question": question.value, "known": requester.is_known}
        self._connection.execute(insert(t.attempts), values | _columns(networks))
        return number

    def ask(
        self, attempt: int, requester: Requester, day: datetime, limits: AttemptLimits
    ) -> bool:
        """Let an attempt of this phone ask whose palm it is; False at a limit.

        Atomic, as ``add``.
        """
        self._lock(requester, Question.WHOSE_PALM)
        if not self._others_allow(requester, day, limits):
            return False
        values = {"question": Question.WHOSE_PALM.value, **_columns(requester.networks)}
        self._update(t.attempts, values, attempt=attempt)
        return True

    def clear(self, attempt: int) -> None:
        """Record that this attempt's question had a match."""
        self._update(t.attempts, _NO_QUESTION, attempt=attempt)

    def give_back(self, attempt: int) -> None:
        """Record that this attempt asked nothing; it counts for its phone alone."""
        self._update(t.attempts, _NO_QUESTION | _NO_NETWORK, attempt=attempt)

    def clear_samples(self, enrolment_id: EnrolmentId) -> None:
        """Clear the attempts of an enrolment's samples; call it before they are deleted."""
        samples = t.enrolment_samples.c
        its = select(samples.attempt).where(samples.enrolment_id == enrolment_id)
        self._update(t.attempts, _NO_QUESTION, _ATTEMPT.attempt.in_(its))

    def requesters_in(self, network: str, digests: Sequence[str]) -> int:
        """Return how many of these phones asked from a network lately."""
        asked = select(func.count(_ATTEMPT.requester.distinct())).where(
            _ATTEMPT.network == network, _ATTEMPT.requester.in_(digests)
        )
        return self._connection.execute(asked).scalar_one()

    def _lock(self, requester: Requester, question: Question) -> None:
        """Make counting and inserting atomic; SQLite has one writer anyway."""
        if self._connection.dialect.name == "postgresql":
            networks = requester.networks if question is Question.WHOSE_PALM else None
            names = {requester.digest, *_columns(networks).values()} - {None}
            # In one order, so that concurrent calls cannot deadlock.
            self._connection.execute(_LOCK, {"keys": sorted(map(_lock_of, names))})

    def is_allowed(
        self, requester: Requester, day: datetime, limits: AttemptLimits, question: Question
    ) -> bool:
        """Return whether ``add`` would record one now."""
        which = {"whose": requester.digest, "day": day}
        spent, asked = self._connection.execute(_OF_DEVICE, which).one()
        if spent >= limits.submissions or asked >= limits.failed_identifications:
            return False
        return question is not Question.WHOSE_PALM or self._others_allow(requester, day, limits)

    def _others_allow(self, requester: Requester, day: datetime, limits: AttemptLimits) -> bool:
        """Return whether the limits of a phone's networks and of all phones allow one more.

        A part of the total is for networks whose widest one asked no more than a phone may, and
        a share beyond each limit is for known phones.
        """
        counts: list[tuple[Select[int], str | None, int]] = []
        most = limits.total_failed - limits.new_networks_failed
        networks = requester.networks
        if networks is not None:
            counts = [
                (_SHOWN, networks.narrow, limits.network_submissions),
                (_ASKED_NARROW, networks.narrow, limits.network_failed),
                (_ASKED_WIDE, networks.wide, limits.network_wide_failed),
                (_ASKED_WIDEST, networks.widest, limits.network_widest_failed),
            ]
            widest = self._count(_ASKED_WIDEST, day, networks.widest)
            if widest < limits.failed_identifications:
                most = limits.total_failed
        return all(
            self._count(count, day, whose) < limit
            or (requester.is_known and self._known(count, day, whose) < limit * KNOWN_SHARE)
            for count, whose, limit in (*counts, (_ASKED, None, most))
        )

    def _known(self, count: Select[int], day: datetime, whose: str | None) -> int:
        return self._count(count.where(_ATTEMPT.known), day, whose)

    def _count(self, count: Select[int], day: datetime, whose: str | None) -> int:
        found: int = self._connection.execute(count, {"whose": whose, "day": day}).scalar_one()
        return found


def _lock_of(name: str | None) -> int:
    """Return the number of the advisory lock of a phone or a network."""
    digest = hashlib.sha256(f"attempts of {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _columns(networks: Networks | None) -> dict[str, str | None]:
    if networks is None:
        return _NO_NETWORK
    narrow, wide, widest = networks.narrow, networks.wide, networks.widest
    return {"network": narrow, "network_wide": wide, "network_widest": widest}
