"""Accounts with their encrypted references, erased accounts, and the gallery's change feed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import (
    BigInteger,
    Column,
    Row,
    bindparam,
    delete,
    func,
    insert,
    select,
    type_coerce,
    update,
)

from engine.types import ExtractorId, ReferenceId
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.types import ConsentGiven, DeviceId, EncryptedReference, GalleryChange, ListHead
from oidc.plumbing.store import Store
from oidc.types import AccountId

_DAY_MS: Final = 86_400_000


class FineTimes(Store):
    """Rounds times to their day once no check needs the minute."""

    def purge(self, now: datetime, passkeys_before: datetime) -> None:
        """Round the ends of waiting that have passed, and uses of passkeys before then."""
        self._round(t.devices.c.due_at, now)
        self._round(t.trusted_devices.c.at, passkeys_before)

    def _round(self, column: Column[Any], before: datetime) -> None:
        time_ms = type_coerce(column, BigInteger)
        finer = update(column.table).where(column < before, time_ms % _DAY_MS != 0)
        self._connection.execute(finer.values({column: time_ms - time_ms % _DAY_MS}))


_HEAD: Final = select(t.gallery_head.c.sequence)
_LOCK_HEAD: Final = _HEAD.with_for_update()
_NEXT: Final = (
    update(t.gallery_head)
    .values(sequence=t.gallery_head.c.sequence + 1)
    .returning(t.gallery_head.c.sequence)
)
_RECORD: Final = insert(t.gallery_changes)
_SINCE: Final = (
    select(t.gallery_changes)
    .where(t.gallery_changes.c.sequence > bindparam("last"))
    .order_by(t.gallery_changes.c.sequence)
)


class GalleryHistory(Store):
    """The change feed: in which order accounts' references changed."""

    def head(self) -> int:
        """Return the sequence number of the last committed change; 0 at first."""
        return int(self._connection.execute(_HEAD).scalar_one())

    def lock(self) -> int:
        """Return the head and block other changes until the end.

        Search and change the gallery under this lock: of two phones that enrol one palm at
        once, the second finds the first one's.
        """
        return int(self._connection.execute(_LOCK_HEAD).scalar_one())

    def record(self, account: AccountId, at: datetime) -> None:
        """Record a change under the next number. Locks: numbers have no gaps."""
        sequence = self._connection.execute(_NEXT).scalar_one()
        change = {"sequence": sequence, "mark": uuid4(), "account": account, "at": at}
        self._connection.execute(_RECORD, change)

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order; old ones may be missing."""
        rows = self._connection.execute(_SINCE, {"last": sequence})
        return [GalleryChange(row.sequence, row.mark, row.account) for row in rows]

    def forget_erased(self, before: datetime) -> None:
        """Erase accounts that no longer exist from changes older than this."""
        changes = t.gallery_changes.c
        exists = select(t.accounts.c.account).where(t.accounts.c.account == changes.account)
        erased = changes.account.is_not(None) & (changes.at < before) & ~exists.exists()
        self._connection.execute(update(t.gallery_changes).where(erased).values(account=None))

    def purge(self, before: datetime) -> None:
        """Delete older changes but the last, which shows gaps; delete that one's account."""
        changes = t.gallery_changes.c
        is_old = changes.at < before
        last = select(func.max(changes.sequence)).where(is_old).scalar_subquery()
        self._changed(delete(t.gallery_changes).where(is_old, changes.sequence < last))
        named = is_old, changes.account.is_not(None)
        self._connection.execute(update(t.gallery_changes).where(*named).values(account=None))


FETCH_ROWS = 1_000
"""Rows fetched at a time while the gallery is built."""

_ITS_ACCOUNT: Final = t.accounts.c.account == bindparam("whose")
_OPEN_ACCOUNT: Final = insert(t.accounts)
_HOLD_ACCOUNT: Final = (
    select(t.accounts.c.account).where(_ITS_ACCOUNT).with_for_update(read=True, key_share=True)
)
_LOCK_ACCOUNT: Final = (
    select(t.accounts.c.account).where(_ITS_ACCOUNT).with_for_update(key_share=True)
)
_LOCK_TO_ERASE: Final = select(t.accounts.c.account).where(_ITS_ACCOUNT).with_for_update()
_ACCOUNTS: Final = select(t.accounts.c.account)
_OPENED_AT: Final = select(t.accounts.c.consented_at).where(_ITS_ACCOUNT)
_ERASE_ACCOUNT: Final = delete(t.accounts).where(_ITS_ACCOUNT)
_ADD: Final = insert(t.references)
_IS_ENROLLED: Final = t.references.c.device_id.is_(None)
_OF_ACCOUNT: Final = select(t.references).where(
    t.references.c.account == bindparam("whose"),
    t.references.c.extractor == bindparam("made_by"),
    _IS_ENROLLED,
)
_ADDED_BY: Final = select(t.references).where(t.references.c.device_id == bindparam("phone"))
_ERASE: Final = delete(t.references).where(t.references.c.account == bindparam("whose"))

_ADD_PENDING: Final = insert(t.pending_erasures)
_PENDING: Final = select(t.pending_erasures)
_REMOVE_PENDING: Final = delete(t.pending_erasures).where(
    t.pending_erasures.c.account == bindparam("whose")
)

_COUNT: Final = (
    update(t.erasure_list)
    .values(count=bindparam("now"), digest=bindparam("so_far"))
    .where(t.erasure_list.c.count < bindparam("more"))
)


class References(Store):
    """Accounts and their references."""

    def create_account(self, account: AccountId, consent: ConsentGiven) -> None:
        """Save a new account with its consent."""
        values = {
            "account": account,
            "consent_version": consent.version,
            "consent_sha256": consent.sha256,
            "consent_language": consent.language,
            "consented_at": consent.at,
        }
        self._connection.execute(_OPEN_ACCOUNT, values)

    def lock_account(self, account: AccountId, *, alone: bool = False) -> bool:
        """Return whether an account exists; keep it until the transaction ends.

        ``alone``: another caller that asks for it alone waits; others do not.
        """
        statement = _LOCK_ACCOUNT if alone else _HOLD_ACCOUNT
        found = self._connection.execute(statement, {"whose": account})
        return found.one_or_none() is not None

    def lock_to_erase(self, account: AccountId) -> None:
        """Wait until no transaction uses an account; later ones wait for the end."""
        self._connection.execute(_LOCK_TO_ERASE, {"whose": account})

    def accounts(self) -> Iterator[AccountId]:
        """Yield every account."""
        rows = self._connection.execute(_ACCOUNTS, execution_options={"yield_per": FETCH_ROWS})
        for account in rows.scalars():
            yield AccountId(account)

    def opened_at(self, account: AccountId) -> datetime | None:
        """Return when an account was opened; None if unknown."""
        return self._connection.execute(_OPENED_AT, {"whose": account}).scalar_one_or_none()

    def add(
        self,
        references: Sequence[EncryptedReference],
        at: datetime,
        device_id: DeviceId | None = None,
    ) -> None:
        """Save references of an existing account; those of a phone count for it alone."""
        rows = [
            {
                "reference_id": reference.reference_id,
                "account": reference.account,
                "extractor": reference.extractor,
                "sealed": reference.ciphertext,
                "key_id": encryption_key_id(reference.ciphertext),
                "enrolled_at": at,
                "device_id": device_id,
            }
            for reference in references
        ]
        self._connection.execute(_ADD, rows)

    def has_any(self) -> bool:
        """Return whether there is any reference, of any extractor."""
        return self._exists(select(t.references).limit(1))

    def of_account(
        self, account: AccountId, extractor: ExtractorId
    ) -> list[EncryptedReference]:
        """Return an account's enrolled references by this extractor."""
        whose = {"whose": account, "made_by": extractor}
        return [reference_of(row) for row in self._connection.execute(_OF_ACCOUNT, whose)]

    def added_by(self, device_id: DeviceId) -> list[EncryptedReference]:
        """Return the references that a phone's sign-ins added."""
        rows = self._connection.execute(_ADDED_BY, {"phone": device_id})
        return [reference_of(row) for row in rows]

    def has_added(self, device_id: DeviceId, at: datetime) -> bool:
        """Return whether a phone's sign-ins added a reference on this day."""
        its = t.references.c.device_id == device_id, t.references.c.enrolled_at == at
        return self._exists(select(t.references.c.reference_id).where(*its))

    def remove_added(self) -> None:
        """Delete every reference that sign-ins added."""
        self._changed(delete(t.references).where(~_IS_ENROLLED))

    def all(self, extractor: ExtractorId) -> Iterator[EncryptedReference]:
        """Yield every enrolled reference by this extractor."""
        rows = self._connection.execution_options(yield_per=FETCH_ROWS).execute(
            select(t.references).where(t.references.c.extractor == extractor, _IS_ENROLLED)
        )
        for row in rows:
            yield reference_of(row)

    def ids(self, extractor: ExtractorId) -> Iterator[ReferenceId]:
        """Yield the id of every enrolled reference by this extractor."""
        references = t.references
        rows = self._connection.execution_options(yield_per=FETCH_ROWS).execute(
            select(references.c.reference_id).where(
                references.c.extractor == extractor, _IS_ENROLLED
            )
        )
        for identifier in rows.scalars():
            yield ReferenceId(identifier)

    def find_many(self, reference_ids: Sequence[ReferenceId]) -> list[EncryptedReference]:
        """Return those of these references that exist."""
        references = t.references
        found: list[EncryptedReference] = []
        for first in range(0, len(reference_ids), FETCH_ROWS):
            some = reference_ids[first : first + FETCH_ROWS]
            rows = self._connection.execute(
                select(references).where(references.c.reference_id.in_(some))
            )
            found += [reference_of(row) for row in rows]
        return found

    def lock_all_of(self, account: AccountId) -> list[EncryptedReference]:
        """Return all references of an account, locked."""
        references = t.references
        rows = self._connection.execute(
            select(references)
            .where(references.c.account == account)
            .order_by(references.c.reference_id)
            .with_for_update()
        )
        return [reference_of(row) for row in rows]

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Delete references; the account stays."""
        its_id = t.references.c.reference_id
        self._changed(delete(t.references).where(its_id.in_(reference_ids)))

    def erase(self, account: AccountId, at: datetime, phones: Sequence[DeviceId] = ()) -> bool:
        """Delete an account with its references, record a pending erasure; False if unknown.

        ``phones``: which the provider has to forget, too.
        """
        self._connection.execute(_ERASE, {"whose": account})
        erased = self._connection.execute(_ERASE_ACCOUNT, {"whose": account})
        if erased.rowcount == 0:
            return False
        pending = {"account": account, "erased_at": at, "phones": " ".join(phones)}
        self._connection.execute(_ADD_PENDING, pending)
        return True


class PendingErasures(Store):
    """Erased accounts that the provider still has to forget, and the count of the list."""

    def all(self) -> dict[AccountId, list[DeviceId]]:
        """Return these accounts, each with its phones."""
        rows = self._connection.execute(_PENDING)
        return {
            AccountId(row.account): [DeviceId(each) for each in row.phones.split()]
            for row in rows
        }

    def remove(self, account: AccountId) -> None:
        """Record that the provider has forgotten this account."""
        self._connection.execute(_REMOVE_PENDING, {"whose": account})

    def counted(self) -> ListHead | None:
        """Return the head of the list of erasures as counted; None: there is no list yet."""
        return self._one(ListHead, select(t.erasure_list))

    def count(self, head: ListHead) -> None:
        """Count the list up to this head, unless more is counted already."""
        more = {"more": head.count, "now": head.count, "so_far": head.digest}
        self._connection.execute(_COUNT, more)

    def recount(self, head: ListHead) -> None:
        """Count this list from now on."""
        self._put(t.erasure_list, {"only": 1} | asdict(head))


def reference_of(row: Row[tuple[object, ...]]) -> EncryptedReference:
    """Return the reference in a row."""
    return EncryptedReference(
        ReferenceId(row.reference_id),
        AccountId(row.account),
        ExtractorId(row.extractor),
        row.sealed,
    )
