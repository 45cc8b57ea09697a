"""Store of sign-ins: which phone signed its owner in, where and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import Claimant, ClientId, GrantId, Level, PairwiseSubject


@dataclass(frozen=True, slots=True)
class SignInRecord:
    """One finished login by palm.

    Attributes:
        grant_id: what it gave, possibly deleted since.
        claimant: the phone.
        level: what was shown, even if the grant says less.
        at: the day, aware, UTC.
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject = field(repr=False)
    claimant: Claimant = field(repr=False)
    level: Level
    at: datetime


class SignInStore(Store):
    """Stores sign-ins."""

    def add(self, record: SignInRecord) -> None:
        """Add a sign-in."""
        self._add(t.sign_ins, record)

    def latest(self, subjects: Sequence[PairwiseSubject], count: int) -> list[SignInRecord]:
        """Return the latest sign-ins of these subjects, newest first.

        Within a day, only while their grants live.
        """
        its_grant = t.grants.c.grant_id == t.sign_ins.c.grant_id
        query = select(t.sign_ins).outerjoin(t.grants, its_grant)
        latest = t.grants.c.auth_time.desc().nulls_last()
        newest = query.order_by(t.sign_ins.c.at.desc(), latest, t.sign_ins.c.grant_id)
        of_subjects = newest.where(t.sign_ins.c.subject.in_(subjects))
        return self._all(SignInRecord, of_subjects.limit(count))

    def grants_of(
        self, subjects: Sequence[PairwiseSubject], claimant: Claimant
    ) -> list[GrantId]:
        """Return what a phone was granted for these subjects."""
        query = select(t.sign_ins.c.grant_id).where(
            t.sign_ins.c.subject.in_(subjects), t.sign_ins.c.claimant == claimant
        )
        return list(self._connection.execute(query).scalars())

    def hand_over(
        self, subjects: Sequence[PairwiseSubject], before: Claimant, after: Claimant
    ) -> None:
        """Count what one phone signed in for these subjects as another one's."""
        its = t.sign_ins.c.subject.in_(subjects), t.sign_ins.c.claimant == before
        self._changed(update(t.sign_ins).where(*its).values(claimant=after))

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the sign-ins of these subjects."""
        self._changed(delete(t.sign_ins).where(t.sign_ins.c.subject.in_(subjects)))

    def purge(self, before: datetime) -> int:
        """Delete older sign-ins; return how many."""
        return self._purge(t.sign_ins.c.grant_id, t.sign_ins.c.at < before)
