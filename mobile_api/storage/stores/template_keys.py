"""Which key encrypts which templates, counts by extractor, re-keying; the key of aliases."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, or_, select, update

from engine.types import ExtractorId
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.storage.key_file import KeyId
from mobile_api.storage.stores.references import reference_of
from mobile_api.types import EncryptedReference
from oidc.plumbing.patience import JOBS, patience
from oidc.plumbing.store import Store


class AliasKeyStore(Store):
    """One encrypted key, which stays the same as long as the database."""

    def ciphertext(self) -> bytes | None:
        """Return it; None if there is none yet."""
        return self._connection.execute(select(t.alias_key.c.sealed)).scalar_one_or_none()

    def replace(self, ciphertext: bytes) -> None:
        """Store it, in place of what it was before."""
        self._put(t.alias_key, {"only": 1, "sealed": ciphertext})


@dataclass(frozen=True, slots=True)
class KeyCount:
    """How many templates are encrypted under one key.

    Attributes:
        key_id: None: encrypted before the format named keys.
        references: of accounts.
        samples: of pending enrolments, which end or expire.
    """

    key_id: KeyId | None
    references: int
    samples: int


@dataclass(frozen=True, slots=True)
class ExtractorCount:
    """How many references and accounts one extractor has; sign-ins ``added`` some of them."""

    extractor: ExtractorId
    references: int
    added: int
    accounts: int


class TemplateKeys(Store):
    """Templates by key and by extractor."""

    def count_by_extractor(self, besides: Collection[str] = ()) -> list[ExtractorCount]:
        """Return the counts of each extractor that has references, except ``besides``."""
        references = t.references.c
        counts = (
            select(
                references.extractor,
                func.count().label("references"),
                func.count(references.device_id).label("added"),
                func.count(references.account.distinct()).label("accounts"),
            )
            .where(references.extractor.not_in(besides))
            .group_by(references.extractor)
            .order_by(references.extractor)
        )
        return self._all(ExtractorCount, counts)

    @patience(JOBS)  # reads every row
    def count_by_key(self) -> list[KeyCount]:
        """Return the counts of each key that has templates."""
        references, samples = (
            {
                row.key_id: int(row.rows)
                for row in self._connection.execute(
                    select(table.c.key_id, func.count().label("rows")).group_by(table.c.key_id)
                )
            }
            for table in (t.references, t.enrolment_samples)
        )
        keys = sorted(references.keys() | samples.keys(), key=lambda key: key or "")
        return [
            KeyCount(
                None if key is None else KeyId(key), references.get(key, 0), samples.get(key, 0)
            )
            for key in keys
        ]

    def lock_outdated(self, key_id: KeyId, count: int) -> list[EncryptedReference]:
        """Return up to ``count`` references encrypted under other keys, locked."""
        key = t.references.c.key_id
        rows = self._connection.execute(
            select(t.references)
            .where(or_(key.is_(None), key < key_id, key > key_id))  # each a range of the index
            .limit(count)
            .with_for_update()
        )
        return [reference_of(row) for row in rows]

    def replace(self, renewed: Sequence[EncryptedReference]) -> None:
        """Replace the ciphertext of existing references."""
        if not renewed:
            return
        references = t.references
        statement = (
            update(references)
            .where(references.c.reference_id == bindparam("which"))
            .values(sealed=bindparam("new_seal"), key_id=bindparam("new_key"))
        )
        self._connection.execute(
            statement,
            [
                {
                    "which": each.reference_id,
                    "new_seal": each.ciphertext,
                    "new_key": encryption_key_id(each.ciphertext),
                }
                for each in renewed
            ],
        )
