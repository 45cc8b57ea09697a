"""Accounts, encrypted references and the history of the gallery in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import Row, delete, insert, select, update

from engine.types import ExtractorId, ReferenceId
from mobile_api.storage import tables as t
from mobile_api.storage.cipher import key_of
from mobile_api.storage.sql_store import SqlStore
from mobile_api.types import ConsentGiven, GalleryChange, SealedReference
from oidc.types import AccountId

FETCH_ROWS = 1_000
"""References read from the database at a time while the gallery is built."""


class SqlReferences(SqlStore):
    """Implements ``storage.references.References``."""

    def open_account(self, account: AccountId, consent: ConsentGiven) -> None:
        """Keep a new account, with what its person agreed to."""
        self.connection.execute(
            insert(t.accounts).values(
                account=account,
                consent_version=consent.version,
                consent_sha256=consent.sha256,
                consented_at=consent.at,
            )
        )

    def hold_account(self, account: AccountId) -> bool:
        """Tell whether an account exists, and keep it from being erased in this unit."""
        accounts = t.accounts
        row = self.connection.execute(
            select(accounts.c.account)
            .where(accounts.c.account == account)
            .with_for_update(read=True, key_share=True)
        ).one_or_none()
        return row is not None

    def has_account(self, account: AccountId) -> bool:
        """Tell whether an account exists, now."""
        accounts = t.accounts
        statement = select(accounts.c.account).where(accounts.c.account == account)
        return self.connection.execute(statement).first() is not None

    def add(self, references: Sequence[SealedReference], at: datetime) -> None:
        """Keep references of an account that exists."""
        rows = [
            {
                "reference_id": reference.reference_id,
                "account": reference.account,
                "extractor": reference.extractor,
                "sealed": reference.sealed,
                "key_id": key_of(reference.sealed),
                "enrolled_at": at,
            }
            for reference in references
        ]
        self.connection.execute(insert(t.references), rows)

    def any(self) -> bool:
        """Tell whether there is any reference."""
        return self.connection.execute(select(t.references).limit(1)).first() is not None

    def of_account(self, account: AccountId, extractor: ExtractorId) -> list[SealedReference]:
        """Return the references of one account that this extractor made."""
        references = t.references
        rows = self.connection.execute(
            select(references).where(
                references.c.account == account, references.c.extractor == extractor
            )
        )
        return [_reference(row) for row in rows]

    def all(self, extractor: ExtractorId) -> Iterator[SealedReference]:
        """Yield every reference this extractor made."""
        rows = self.connection.execution_options(yield_per=FETCH_ROWS).execute(
            select(t.references).where(t.references.c.extractor == extractor)
        )
        for row in rows:
            yield _reference(row)

    def names(self, extractor: ExtractorId) -> Iterator[ReferenceId]:
        """Yield the identifier of every reference this extractor made."""
        references = t.references
        rows = self.connection.execution_options(yield_per=FETCH_ROWS).execute(
            select(references.c.reference_id).where(references.c.extractor == extractor)
        )
        for identifier in rows.scalars():
            yield ReferenceId(identifier)

    def some(self, reference_ids: Sequence[ReferenceId]) -> list[SealedReference]:
        """Return those of some references that there are."""
        references = t.references
        found: list[SealedReference] = []
        for first in range(0, len(reference_ids), FETCH_ROWS):
            some = reference_ids[first : first + FETCH_ROWS]
            rows = self.connection.execute(
                select(references).where(references.c.reference_id.in_(some))
            )
            found += [_reference(row) for row in rows]
        return found

    def hold_all_of(self, account: AccountId) -> list[SealedReference]:
        """Return the references of an account and keep them until the unit ends."""
        references = t.references
        rows = self.connection.execute(
            select(references)
            .where(references.c.account == account)
            .order_by(references.c.reference_id)
            .with_for_update()
        )
        return [_reference(row) for row in rows]

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Forget some references."""
        references = t.references
        self.connection.execute(
            delete(references).where(references.c.reference_id.in_(reference_ids))
        )

    def erase(self, account: AccountId, at: datetime) -> bool:
        """Forget account and references, and note a departure; False if it is unknown."""
        self.connection.execute(delete(t.references).where(t.references.c.account == account))
        erased = self.connection.execute(
            delete(t.accounts).where(t.accounts.c.account == account)
        )
        if erased.rowcount == 0:
            return False
        self.connection.execute(insert(t.departures).values(account=account, erased_at=at))
        return True


class SqlDepartures(SqlStore):
    """Implements ``storage.references.Departures``."""

    def waiting(self) -> list[AccountId]:
        """Return the accounts the provider still has to forget."""
        rows = self.connection.execute(select(t.departures.c.account))
        return [AccountId(account) for account in rows.scalars()]

    def done(self, account: AccountId) -> None:
        """Note that the provider has forgotten this account."""
        self.connection.execute(delete(t.departures).where(t.departures.c.account == account))


class SqlGalleryHistory(SqlStore):
    """Implements ``storage.references.GalleryHistory``."""

    def head(self) -> int:
        """Return the sequence number of the last change that was committed."""
        return int(self.connection.execute(select(t.gallery_head.c.sequence)).scalar_one())

    def lock(self) -> int:
        """Return the head; its row stays locked until the unit ends."""
        head = t.gallery_head
        statement = select(head.c.sequence).with_for_update()
        return int(self.connection.execute(statement).scalar_one())

    def record(self, account: AccountId, at: datetime) -> None:
        """Note, under the next number, that the references of an account changed."""
        head = t.gallery_head
        statement = update(head).values(sequence=head.c.sequence + 1).returning(head.c.sequence)
        sequence = self.connection.execute(statement).scalar_one()
        self.connection.execute(
            insert(t.gallery_changes).values(sequence=sequence, account=account, at=at)
        )

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order."""
        changes = t.gallery_changes
        rows = self.connection.execute(
            select(changes).where(changes.c.sequence > sequence).order_by(changes.c.sequence)
        )
        return [GalleryChange(row.sequence, row.account) for row in rows]

    def purge(self, before: datetime) -> None:
        """Forget changes older than this."""
        self.connection.execute(
            delete(t.gallery_changes).where(t.gallery_changes.c.at < before)
        )


def _reference(row: Row[tuple[object, ...]]) -> SealedReference:
    return SealedReference(
        ReferenceId(row.reference_id),
        AccountId(row.account),
        ExtractorId(row.extractor),
        row.sealed,
    )
