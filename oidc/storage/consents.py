"""Store of consents, by pairwise subject."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

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


class ConsentStore(Protocol):
    """Stores the latest consent of each person to each client."""

    def put(self, consent: Consent) -> None:
        """Add or replace a consent."""

    def find(self, subject: PairwiseSubject, client_id: ClientId) -> Consent | None:
        """Return the consent, or None."""

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete all consents of these subjects."""
