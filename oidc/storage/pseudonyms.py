"""Port: pseudonyms. The only table that knows both an account and a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import AccountId, PairwiseSubject, SectorIdentifier


class PseudonymStore(Protocol):
    """Keeps who is called what, where. Only ``oidc.pseudonym`` may use it."""

    def assign(
        self,
        account: AccountId,
        sector: SectorIdentifier,
        proposal: PairwiseSubject,
        now: datetime,
    ) -> PairwiseSubject:
        """Return the living pseudonym of the account in the sector; keep the proposal if none.

        Atomic: of two concurrent calls for one account and sector, both get the same answer.
        """

    def account_of(
        self, subject: PairwiseSubject, sector: SectorIdentifier
    ) -> AccountId | None:
        """Return the account; None for unknown, withdrawn and foreign subjects."""

    def withdraw(self, subject: PairwiseSubject, now: datetime) -> bool:
        """End a pseudonym for ever, forgetting its account; False if it was not alive."""

    def withdraw_all(self, account: AccountId, now: datetime) -> list[PairwiseSubject]:
        """End every pseudonym of the account and forget it; return those that were alive."""
