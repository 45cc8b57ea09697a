"""Which key encrypts which templates, counts by extractor, re-keying; the key of aliases."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, or_, select

from engine.types import ExtractorId
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.storage.key_file import KeyId
from mobile_api.storage.stores.references import EncryptedReference
from oidc.plumbing.patience import JOBS, patience
from oidc.plumbing.store import Store, rows


class AliasKeyStore(Store):
    """One encrypted key, which stays the same as long as the database."""

    def ciphertext(self) -> bytes | None:
        """Return it; None if there is none yet."""
        return self._value(t.alias_key.c.sealed)

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
        counts: list[Counter[Any]] = []
        for key_id in (t.references.c.key_id, t.enrolment_samples.c.key_id):
            query = select(key_id, func.count()).group_by(key_id)
            found = self._connection.execute(query)
            counts.append(Counter(dict(map(tuple, found))))
        references, samples = counts
        keys = sorted(references.keys() | samples.keys(), key=lambda key: key or "")
        return [KeyCount(key, references[key], samples[key]) for key in keys]

    def lock_outdated(self, key_id: KeyId, count: int) -> list[EncryptedReference]:
        """Return up to ``count`` references encrypted under other keys, locked."""
        key = t.references.c.key_id
        others = or_(key.is_(None), key < key_id, key > key_id)  # each a range of the index
        outdated = rows(t.references, others).limit(count).with_for_update()
        return self._all(EncryptedReference, outdated)

    def replace(self, renewed: Sequence[EncryptedReference]) -> None:
        """Replace the ciphertext of existing references."""
        for each in renewed:
            new = {"sealed": each.sealed, "key_id": encryption_key_id(each.sealed)}
            self._update(t.references, new, reference_id=each.reference_id)
