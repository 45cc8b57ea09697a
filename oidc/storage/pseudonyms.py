"""Port: pseudonyms. The only table that knows both an account and a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import AccountId, PairwiseSubject, Pseudonym, SectorIdentifier


class PseudonymStore(Protocol):
    """Keeps who is called what, where. Only ``oidc.accounts.pseudonym`` may use it."""

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

    def subject_of(
        self, account: AccountId, sector: SectorIdentifier
    ) -> PairwiseSubject | None:
        """Return the living pseudonym of the account in the sector; None if it has none.

        Nobody can withdraw it before the transaction ends.
        """

    def account_of(
        self, subject: PairwiseSubject, sector: SectorIdentifier
    ) -> AccountId | None:
        """Return the account; None for unknown, withdrawn and foreign subjects.

        Nobody can withdraw it before the transaction ends.
        """

    def of_account(self, account: AccountId) -> list[Pseudonym]:
        """Return every living pseudonym of the account."""

    def withdraw(self, subject: PairwiseSubject, now: datetime) -> bool:
        """End a pseudonym for ever, forgetting its account; False if it was not alive."""

    def withdraw_all(self, account: AccountId, now: datetime) -> list[PairwiseSubject]:
        """End every pseudonym of the account and forget it; return those that were alive."""
