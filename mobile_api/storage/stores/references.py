"""Accounts with their encrypted references, erased accounts, and the gallery's change feed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Executable, Result, insert, select, update

from engine.types import ExtractorId, ReferenceId
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.types import DeviceId
from oidc.plumbing.store import Store, record_of, rows, values_of
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """Which text a person agreed to, in which language (RFC 5646), and when (aware, UTC)."""

    version: str
    sha256: str
    language: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EncryptedReference:
    """A stored reference: account, extractor and encrypted template."""

    reference_id: ReferenceId
    account: AccountId = field(repr=False)
    extractor: ExtractorId
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ListHead:
    """How many accounts are on the list of erasures, and the digest of its chain."""

    count: int
    digest: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class GalleryChange:
    """A change of an account's references; ``sequence`` follows the commits without gaps.

    Attributes:
        change_id: random, tells this history from another one.
        account: None if it is erased, and everybody should know that by now.
    """

    sequence: int
    change_id: UUID
    account: AccountId | None = field(repr=False)


class GalleryHistory(Store):
    """The change feed: in which order accounts' references changed."""

    def head(self) -> int:
        """Return the sequence number of the last committed change; 0 at first."""
        return self._value(t.gallery_head.c.sequence) or 0

    def lock(self) -> int:
        """Return the head and block other changes until the end.

        Change the gallery under this lock: of two phones that enrol one palm at
        once, the second finds the first one's.
        """
        return int(self._row(select(t.gallery_head).with_for_update()).sequence)

    def record(self, account: AccountId, at: datetime) -> None:
        """Record a change under the next number. Locks: numbers have no gaps."""
        last = t.gallery_head.c.sequence
        counted = update(t.gallery_head).values(sequence=last + 1).returning(last)
        sequence = self._connection.execute(counted).scalar_one()
        change = {"sequence": sequence, "mark": uuid4(), "account": account, "at": at}
        self._connection.execute(insert(t.gallery_changes), change)

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order; old ones may be missing."""
        changes = t.gallery_changes
        later = rows(changes, changes.c.sequence > sequence).order_by(changes.c.sequence)
        return [
            GalleryChange(row.sequence, row.mark, row.account)
            for row in self._connection.execute(later)
        ]


FETCH_ROWS = 1_000
"""Rows fetched at a time while the gallery is built."""

_IS_ENROLLED: Final = t.references.c.device_id.is_(None)


class References(Store):
    """Accounts and their references."""

    def create_account(self, account: AccountId, consent: ConsentGiven) -> None:
        """Save a new account with its consent."""
        opened = {"account": account} | columns_of_consent(consent)
        self._connection.execute(insert(t.accounts), opened)

    def lock_account(self, account: AccountId, *, alone: bool = False) -> bool:
        """Return whether an account exists; keep it until the transaction ends.

        ``alone``: another caller that asks for it alone waits; others do not.
        """
        its = rows(t.accounts, account=account)
        return self._exists(its.with_for_update(read=not alone, key_share=True))

    def lock_to_erase(self, account: AccountId) -> None:
        """Wait until no transaction uses an account; later ones wait for the end."""
        self._exists(rows(t.accounts, account=account).with_for_update())

    def accounts(self) -> Iterator[AccountId]:
        """Yield every account."""
        yield from self._streamed(select(t.accounts.c.account)).scalars()

    def opened_at(self, account: AccountId) -> datetime | None:
        """Return when an account was opened; None if unknown."""
        return self._value(t.accounts.c.consented_at, account=account)

    def add(
        self,
        references: Sequence[EncryptedReference],
        at: datetime,
        device_id: DeviceId | None = None,
    ) -> None:
        """Save references of an existing account; those of a phone count for it alone."""
        more = {"enrolled_at": at, "device_id": device_id}
        new = [
            values_of(each, t.references) | more | {"key_id": encryption_key_id(each.sealed)}
            for each in references
        ]
        self._connection.execute(insert(t.references), new)

    def has_any(self) -> bool:
        """Return whether there is any reference, of any extractor."""
        return self._has(t.references)

    def of_account(
        self, account: AccountId, extractor: ExtractorId
    ) -> list[EncryptedReference]:
        """Return an account's enrolled references by this extractor."""
        its = {"account": account, "extractor": extractor, "device_id": None}
        return self._all(EncryptedReference, rows(t.references, **its))

    def added_by(self, device_id: DeviceId) -> list[EncryptedReference]:
        """Return the references that a phone's sign-ins added."""
        return self._all(EncryptedReference, rows(t.references, device_id=device_id))

    def has_added(self, device_id: DeviceId, at: datetime) -> bool:
        """Return whether a phone's sign-ins added a reference on this day."""
        return self._has(t.references, device_id=device_id, enrolled_at=at)

    def remove_added(self) -> None:
        """Delete every reference that sign-ins added."""
        self._delete(t.references, ~_IS_ENROLLED)

    def all(self, extractor: ExtractorId) -> Iterator[EncryptedReference]:
        """Yield every enrolled reference by this extractor."""
        found = self._streamed(rows(t.references, _IS_ENROLLED, extractor=extractor))
        for row in found.mappings():
            yield record_of(EncryptedReference, row)

    def ids(self, extractor: ExtractorId) -> Iterator[ReferenceId]:
        """Yield the id of every enrolled reference by this extractor."""
        its = t.references.c.extractor == extractor, _IS_ENROLLED
        yield from self._streamed(select(t.references.c.reference_id).where(*its)).scalars()

    def find_many(self, reference_ids: Sequence[ReferenceId]) -> list[EncryptedReference]:
        """Return those of these references that exist."""
        found: list[EncryptedReference] = []
        for first in range(0, len(reference_ids), FETCH_ROWS):
            some = t.references.c.reference_id.in_(reference_ids[first : first + FETCH_ROWS])
            found += self._all(EncryptedReference, rows(t.references, some))
        return found

    def lock_all_of(self, account: AccountId) -> list[EncryptedReference]:
        """Return all references of an account, locked."""
        its = rows(t.references, account=account).order_by(t.references.c.reference_id)
        return self._all(EncryptedReference, its.with_for_update())

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Delete references; the account stays."""
        self._delete(t.references, t.references.c.reference_id.in_(reference_ids))

    def erase(self, account: AccountId, at: datetime, phones: Sequence[DeviceId] = ()) -> bool:
        """Delete an account with its references, record a pending erasure; False if unknown.

        ``phones``: which the provider has to forget, too.
        """
        self._delete(t.references, account=account)
        if not self._delete(t.accounts, account=account):
            return False
        pending = {"account": account, "erased_at": at, "phones": " ".join(phones)}
        self._connection.execute(insert(t.pending_erasures), pending)
        return True

    def _streamed(self, query: Executable) -> Result[Any]:
        return self._connection.execution_options(yield_per=FETCH_ROWS).execute(query)


class PendingErasures(Store):
    """Erased accounts that the provider still has to forget, and the count of the list."""

    def all(self) -> dict[AccountId, list[DeviceId]]:
        """Return these accounts, each with its phones."""
        found = self._connection.execute(select(t.pending_erasures))
        return {row.account: [DeviceId(each) for each in row.phones.split()] for row in found}

    def remove(self, account: AccountId) -> None:
        """Record that the provider has forgotten this account."""
        self._delete(t.pending_erasures, account=account)

    def counted(self) -> ListHead | None:
        """Return the head of the list of erasures as counted; None: there is no list yet."""
        return self._one(ListHead, select(t.erasure_list))

    def count(self, head: ListHead) -> None:
        """Count the list up to this head, unless more is counted already."""
        self._update(t.erasure_list, asdict(head), t.erasure_list.c.count < head.count)

    def recount(self, head: ListHead) -> None:
        """Count this list from now on."""
        self._put(t.erasure_list, {"only": 1} | asdict(head))


def columns_of_consent(consent: ConsentGiven) -> dict[str, object]:
    """Return the columns of a consent, of an account or an enrolment."""
    return {
        "consent_version": consent.version,
        "consent_sha256": consent.sha256,
        "consent_language": consent.language,
        "consented_at": consent.at,
    }
