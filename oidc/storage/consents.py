"""Port: what persons allowed clients, by the pseudonym the client knows them by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, PairwiseSubject


@dataclass(frozen=True, slots=True)
class Consent:
    """What one person allowed one client.

    Attributes:
        subject: the person, as that client knows them.
        client_id: the client.
        scope: everything that was allowed.
        shown: SHA-256 of what the person was shown of the client.
        given_at: when it was last given; aware, UTC.
    """

    subject: PairwiseSubject
    client_id: ClientId
    scope: tuple[str, ...]
    shown: bytes = field(repr=False)
    given_at: datetime


class ConsentStore(Protocol):
    """Keeps the last consent of each person to each client."""

    def put(self, consent: Consent) -> None:
        """Keep a consent in place of the one there may have been."""

    def find(self, subject: PairwiseSubject, client_id: ClientId) -> Consent | None:
        """Return the consent, or None."""

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Forget every consent of these subjects."""
