"""Store of pseudonyms: the only table with both an account and a subject.

Beside it: whose aliases of accounts and phones this database holds.
"""

from datetime import datetime

from sqlalchemy import delete, insert

from oidc.plumbing.store import Store, rows
from oidc.storage import schema as t
from oidc.storage.schema import pseudonyms
from oidc.types import AccountId, PairwiseSubject, Pseudonym, SectorIdentifier


class PseudonymStore(Store):
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
        insertion = (
            self._insert(pseudonyms)
            .values(subject=proposal, sector=sector, account=account, created_at=now)
            .on_conflict_do_nothing(index_elements=["account", "sector"])
        )
        while True:
            self._connection.execute(insertion)
            found = self.subject_of(account, sector)
            if found is not None:  # else deleted between the two statements
                return found

    def subject_of(
        self, account: AccountId, sector: SectorIdentifier
    ) -> PairwiseSubject | None:
        """Return the account's valid pseudonym in the sector, or None.

        Locked: a concurrent deletion waits for this transaction, and then finds its grant.
        """
        its = rows(pseudonyms, account=account, sector=sector).with_for_update(read=True)
        found = self._one(Pseudonym, its)
        return None if found is None else found.subject

    def account_of(
        self, subject: PairwiseSubject, sector: SectorIdentifier
    ) -> AccountId | None:
        """Return the account; None for unknown, deleted and other sectors' subjects.

        Locked: a concurrent deletion waits for this transaction, and then finds its login.
        """
        its = rows(pseudonyms, subject=subject, sector=sector).with_for_update(read=True)
        found = self._connection.execute(its).one_or_none()
        return None if found is None or found.account is None else AccountId(found.account)

    def of_account(self, account: AccountId) -> list[Pseudonym]:
        """Return all valid pseudonyms of the account."""
        return self._all(Pseudonym, rows(pseudonyms, account=account))

    def delete(self, subject: PairwiseSubject) -> bool:
        """Delete a pseudonym, which never returns; False if there is none."""
        return self._delete(pseudonyms, subject=subject) == 1

    def delete_all(self, account: AccountId) -> list[PairwiseSubject]:
        """Delete all pseudonyms of the account and return them."""
        gone = delete(pseudonyms).where(pseudonyms.c.account == account)
        rows = self._connection.execute(gone.returning(pseudonyms.c.subject))
        return [PairwiseSubject(row.subject) for row in rows]


class AliasStore(Store):
    """Stores the proof of the keys that made the aliases."""

    def proof(self) -> AccountId | None:
        """Return the proof; None: there are no aliases."""
        return self._value(t.account_aliases.c.proof)

    def set_proof(self, proof: AccountId) -> None:
        """Note whose aliases will be made; there must be none."""
        self._connection.execute(insert(t.account_aliases).values(only=1, proof=proof))

    def delete_proof(self) -> None:
        """Delete the proof: the other database is lost."""
        self._connection.execute(delete(t.account_aliases))
