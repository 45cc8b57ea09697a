"""Store of consents, by pairwise subject."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from oidc.plumbing.store import Store, values_of
from oidc.storage.schema import consents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, PairwiseSubject


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person allowed a client.

    Attributes:
        subject: the person's pseudonym at that client.
        shown: SHA-256 of what the person saw of the client.
    """

    subject: PairwiseSubject
    client_id: ClientId
    scope: tuple[str, ...]
    shown: bytes = field(repr=False)
    given_at: datetime


class ConsentStore(Store):
    """Stores the latest consent of each person to each client."""

    def put(self, consent: Consent) -> None:
        """Add or replace a consent."""
        values = values_of(consent, consents)
        changed = {name: values[name] for name in ("scope", "shown", "given_at")}
        self._connection.execute(
            self._insert(consents)
            .values(values)
            .on_conflict_do_update(index_elements=["subject", "client_id"], set_=changed)
        )

    def find(self, subject: PairwiseSubject, client_id: ClientId) -> Consent | None:
        """Return the consent, or None."""
        query = select(consents).where(
            consents.c.subject == subject, consents.c.client_id == client_id
        )
        return self._one(Consent, query)

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete all consents of these subjects."""
        self._changed(delete(consents).where(consents.c.subject.in_(subjects)))
