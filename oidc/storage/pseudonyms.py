"""Store of pseudonyms: the only table with both an account and a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import AccountId, PairwiseSubject, Pseudonym, SectorIdentifier


class PseudonymStore(Protocol):
    """Stores pairwise subjects. Only ``oidc.accounts.pseudonym`` may use it."""

    def assign(
        self,
        account: AccountId,
        sector: SectorIdentifier,
        proposal: PairwiseSubject,
        now: datetime,
    ) -> PairwiseSubject:
        """Return the account's valid pseudonym in the sector, or store the proposal.

        Atomic: concurrent calls for one account and sector get the same answer.
        """

    def subject_of(
        self, account: AccountId, sector: SectorIdentifier
    ) -> PairwiseSubject | None:
        """Return the account's valid pseudonym in the sector, or None.

        Locks it against withdrawal until the transaction ends.
        """

    def account_of(
        self, subject: PairwiseSubject, sector: SectorIdentifier
    ) -> AccountId | None:
        """Return the account; None for unknown, withdrawn and other sectors' subjects.

        Locks it against withdrawal until the transaction ends.
        """

    def of_account(self, account: AccountId) -> list[Pseudonym]:
        """Return all valid pseudonyms of the account."""

    def withdraw(self, subject: PairwiseSubject, now: datetime) -> bool:
        """End a pseudonym for ever and erase its account; False if it was not valid."""

    def withdraw_all(self, account: AccountId, now: datetime) -> list[PairwiseSubject]:
        """End all pseudonyms of the account; return those that were valid."""
