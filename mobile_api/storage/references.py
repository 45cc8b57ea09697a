"""Port: accounts and their encrypted references, and the history of the gallery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from engine.types import ExtractorId, ReferenceId
from mobile_api.types import ConsentGiven, EncryptedReference, GalleryChange
from oidc.types import AccountId


class References(Protocol):
    """Accounts and what was enrolled for them."""

    def create_account(self, account: AccountId, consent: ConsentGiven) -> None:
        """Keep a new account, with what its person agreed to."""

    def lock_account(self, account: AccountId) -> bool:
        """Tell whether an account exists; in a writing unit it then stays until the end."""

    def has_account(self, account: AccountId) -> bool:
        """Tell whether an account exists, now."""

    def add(self, references: Sequence[EncryptedReference], at: datetime) -> None:
        """Keep references of an account that exists."""

    def has_any(self) -> bool:
        """Tell whether there is any reference, of any extractor."""

    def of_account(
        self, account: AccountId, extractor: ExtractorId
    ) -> list[EncryptedReference]:
        """Return the references of one account that this extractor made."""

    def all(self, extractor: ExtractorId) -> Iterator[EncryptedReference]:
        """Yield every reference this extractor made."""

    def ids(self, extractor: ExtractorId) -> Iterator[ReferenceId]:
        """Yield the identifier of every reference this extractor made."""

    def find_many(self, reference_ids: Sequence[ReferenceId]) -> list[EncryptedReference]:
        """Return those of some references that there are."""

    def lock_all_of(self, account: AccountId) -> list[EncryptedReference]:
        """Return the references of an account, of any extractor.

        In a writing unit they, and so the account, stay until the unit ends.
        """

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Forget some references; the account stays."""

    def erase(self, account: AccountId, at: datetime) -> bool:
        """Forget account and references, and note a departure; False if it is unknown."""


class PendingErasures(Protocol):
    """Accounts that are erased here and still have to be forgotten by the provider."""

    def all(self) -> list[AccountId]:
        """Return those that wait."""

    def remove(self, account: AccountId) -> None:
        """Note that the provider has forgotten this account."""


class GalleryHistory(Protocol):
    """In which order the references of accounts changed."""

    def head(self) -> int:
        """Return the sequence number of the last change that was committed; 0 at first."""

    def lock(self) -> int:
        """Return the head, and let nobody else record a change until this unit ends.

        Whoever looks into the gallery and then changes it does both under this lock: of two
        phones that enrol one palm at once, the second one finds the first one's.
        """

    def record(self, account: AccountId, at: datetime) -> None:
        """Note, under the next number, that the references of an account changed.

        Waits, as ``lock`` does: numbers are committed in order and without gaps.
        """

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order; some may be missing if they are old."""

    def purge(self, before: datetime) -> None:
        """Forget changes older than this; whoever needs them compares the names of all.

        The last of them stays: a gallery that is up to it sees that the next one follows,
        however long nothing happened.
        """
