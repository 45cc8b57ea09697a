"""Port: accounts, their encrypted references, and the gallery's change feed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from engine.types import ExtractorId, ReferenceId
from mobile_api.types import ConsentGiven, EncryptedReference, GalleryChange
from oidc.types import AccountId


class References(Protocol):
    """Accounts and their references."""

    def create_account(self, account: AccountId, consent: ConsentGiven) -> None:
        """Save a new account with its consent."""

    def lock_account(self, account: AccountId, *, alone: bool = False) -> bool:
        """Tell whether an account exists; keep it until the transaction ends.

        ``alone``: whoever else asks for it alone waits; others do not.
        """

    def lock_to_erase(self, account: AccountId) -> None:
        """Wait until nobody uses an account; who asks for it then waits for the end."""

    def has_account(self, account: AccountId) -> bool:
        """Tell whether an account exists, without a lock."""

    def opened_at(self, account: AccountId) -> datetime | None:
        """Return when an account was opened; None if unknown."""

    def add(self, references: Sequence[EncryptedReference], at: datetime) -> None:
        """Save references of an existing account."""

    def has_any(self) -> bool:
        """Tell whether there is any reference, of any extractor."""

    def of_account(
        self, account: AccountId, extractor: ExtractorId
    ) -> list[EncryptedReference]:
        """Return an account's references by this extractor."""

    def all(self, extractor: ExtractorId) -> Iterator[EncryptedReference]:
        """Yield every reference by this extractor."""

    def ids(self, extractor: ExtractorId) -> Iterator[ReferenceId]:
        """Yield the id of every reference by this extractor."""

    def find_many(self, reference_ids: Sequence[ReferenceId]) -> list[EncryptedReference]:
        """Return those of these references that exist."""

    def lock_all_of(self, account: AccountId) -> list[EncryptedReference]:
        """Return all references of an account, locked."""

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Delete references; the account stays."""

    def erase(self, account: AccountId, at: datetime) -> bool:
        """Delete an account with its references, record a pending erasure; False if unknown."""


class PendingErasures(Protocol):
    """Erased accounts that the provider still has to forget."""

    def all(self) -> list[AccountId]:
        """Return these accounts."""

    def remove(self, account: AccountId) -> None:
        """Record that the provider has forgotten this account."""


class GalleryHistory(Protocol):
    """The change feed: in which order accounts' references changed."""

    def head(self) -> int:
        """Return the sequence number of the last committed change; 0 at first."""

    def lock(self) -> int:
        """Return the head and block other changes until the end.

        Search and change the gallery under this lock: of two phones that enrol one palm at
        once, the second finds the first one's.
        """

    def record(self, account: AccountId, at: datetime) -> None:
        """Record a change under the next number. Locks: numbers have no gaps."""

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order; old ones may be missing."""

    def purge(self, before: datetime) -> None:
        """Delete older changes except the last, so that gaps are noticed."""
