"""Store of sign-ins: which phone signed its owner in, where and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage.schema import grants, sign_ins

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

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
        self._add(sign_ins, record)

    def latest(self, subjects: Sequence[PairwiseSubject], count: int) -> list[SignInRecord]:
        """Return the latest sign-ins of these subjects, newest first.

        Within a day, only while their grants live.
        """
        its_grant = grants.c.grant_id == sign_ins.c.grant_id
        query = select(sign_ins).outerjoin(grants, its_grant)
        latest = grants.c.auth_time.desc().nulls_last()
        newest = query.order_by(sign_ins.c.at.desc(), latest, sign_ins.c.grant_id)
        of_subjects = newest.where(sign_ins.c.subject.in_(subjects))
        return self._all(SignInRecord, of_subjects.limit(count))

    def grants_of(
        self, subjects: Sequence[PairwiseSubject], claimant: Claimant
    ) -> list[GrantId]:
        """Return what a phone was granted for these subjects."""
        query = select(sign_ins.c.grant_id).where(
            sign_ins.c.subject.in_(subjects), sign_ins.c.claimant == claimant
        )
        return list(self._connection.execute(query).scalars())

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the sign-ins of these subjects."""
        self._changed(delete(sign_ins).where(sign_ins.c.subject.in_(subjects)))

    def purge(self, before: datetime) -> int:
        """Delete older sign-ins; return how many."""
        over = select(sign_ins.c.grant_id).where(sign_ins.c.at < before)
        # Skips rows locked by another sweep.
        free = over.with_for_update(skip_locked=True)
        return self._changed(delete(sign_ins).where(sign_ins.c.grant_id.in_(free)))
