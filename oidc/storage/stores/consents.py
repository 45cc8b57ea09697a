"""Store of consents, by pairwise subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select

from oidc.plumbing.store import Store, values_of
from oidc.storage import schema as t
from oidc.types import ClientId, PairwiseSubject


@dataclass(frozen=True, slots=True)
class Consent:
    """A person's consent to a client.

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
        self._put(t.consents, values_of(consent, t.consents))

    def find(self, subject: PairwiseSubject, client_id: ClientId) -> Consent | None:
        """Return the consent, or None."""
        query = select(t.consents).where(
            t.consents.c.subject == subject, t.consents.c.client_id == client_id
        )
        return self._one(Consent, query)

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete all consents of these subjects."""
        self._changed(delete(t.consents).where(t.consents.c.subject.in_(subjects)))
