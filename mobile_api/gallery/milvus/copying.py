"""Use case: copy a gallery from the database to another store while the service runs.

Differences are enrolled or erased, then every row is read back and compared. Idempotent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, Protocol

import numpy as np

from engine.types import ExtractorId, Reference, ReferenceId
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.database import Database
from mobile_api.storage.key_file import KeyId

STEP_ROWS: Final = 1_000
"""References copied at once."""

TOLERANCE: Final = 1e-5
"""How much an element of a vector may differ."""


class CopyTarget(Protocol):
    """A gallery that can be read back."""

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""

    def remove_damaged(self) -> int:
        """Remove rows that cannot be decrypted; return how many."""

    def all_references(self) -> Iterable[Reference]:
        """Return all references, decrypted, as of a moment ago."""

    def get_references(self, reference_ids: Sequence[ReferenceId]) -> list[Reference]:
        """Return those of these references that exist, decrypted, as of now."""


class GalleryCopy:
    """Copies the gallery of one extractor and key; the target gets rotated vectors only."""

    def __init__(
        self,
        database: Database,
        encryption: TemplateEncryption,
        extractor: ExtractorId,
        key_id: KeyId,
    ) -> None:
        self._database, self._encryption = database, encryption
        self._extractor, self._key_id = extractor, key_id

    def run(self, target: CopyTarget, report_progress: Callable[[int], None]) -> int:
        """Make the target equal the database; return how many rows had to change."""
        unsound = target.remove_damaged()
        missing, wrong = self._find_differences(target)
        target.erase(wrong)
        for start in range(0, len(missing), STEP_ROWS):
            references = self._expected(missing[start : start + STEP_ROWS])
            target.enrol(list(references.values()))
            report_progress(len(references))
        return max(unsound, len({*missing, *wrong}))

    def differences(self, target: CopyTarget) -> int:
        """Compare row by row; return how many are missing, superfluous or different."""
        missing, wrong = self._find_differences(target)
        return len({*missing, *wrong})

    def _find_differences(
        self, target: CopyTarget
    ) -> tuple[list[ReferenceId], list[ReferenceId]]:
        """Return what the target lacks, and what it holds differently.

        Reading everything takes long, so each difference is checked once more by name.
        """
        right, wrong = self._compare(target.all_references())
        lacking = (name for name in self._names() if name not in right)
        suspects = list(dict.fromkeys([*wrong, *lacking]))
        missing, wrong = [], []
        for start in range(0, len(suspects), STEP_ROWS):
            names = suspects[start : start + STEP_ROWS]
            expected = self._expected(names)
            actual = {row.reference_id: row for row in target.get_references(names)}
            differing = [
                name
                for name in names
                if name in actual
                and not (name in expected and _is_same(actual[name], expected[name]))
            ]
            wrong += differing
            missing += [
                n for n in names if n in expected and (n not in actual or n in differing)
            ]
        return missing, wrong

    def _compare(self, rows: Iterable[Reference]) -> tuple[set[ReferenceId], list[ReferenceId]]:
        right: set[ReferenceId] = set()
        wrong: list[ReferenceId] = []
        actual = iter(rows)
        while batch := list(islice(actual, STEP_ROWS)):
            expected = self._expected([row.reference_id for row in batch])
            for row in batch:
                reference = expected.get(row.reference_id)
                if reference is not None and _is_same(row, reference):
                    right.add(row.reference_id)
                else:
                    wrong.append(row.reference_id)
        return right, wrong

    def _names(self) -> list[ReferenceId]:
        with self._database.read_in_transaction() as transaction:
            return list(transaction.references.ids(self._extractor))

    def _expected(self, names: Sequence[ReferenceId]) -> dict[ReferenceId, Reference]:
        with self._database.read_in_transaction() as transaction:
            stored = [
                r
                for r in transaction.references.find_many(names)
                if r.extractor == self._extractor
            ]
        references = self._encryption.rotated_references(stored, self._key_id)
        return {reference.reference_id: reference for reference in references}


def _is_same(actual: Reference, expected: Reference) -> bool:
    one, other = actual.template, expected.template
    return (
        actual.group_id == expected.group_id
        and one.hand is other.hand
        and np.array_equal(one.code, other.code)
        and bool(np.abs(one.vector - other.vector).max() < TOLERANCE)
    )
