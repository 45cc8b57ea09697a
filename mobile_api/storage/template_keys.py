"""Port: which templates there are of which key and extractor, and putting renewed ones in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.types import ExtractorId
from mobile_api.storage.key_ring import KeyId
from mobile_api.types import EncryptedReference


@dataclass(frozen=True, slots=True)
class KeyCount:
    """How many templates are sealed under one key.

    Attributes:
        key_id: names the key; None: sealed before seals named their key.
        references: of enrolled people.
        samples: of pending enrolments; they are gone when those are finished or expire.
    """

    key_id: KeyId | None
    references: int
    samples: int


@dataclass(frozen=True, slots=True)
class ExtractorCount:
    """What there is of one extractor.

    Attributes:
        extractor: made the references.
        references: how many.
        accounts: of how many people.
    """

    extractor: ExtractorId
    references: int
    accounts: int


class TemplateKeys(Protocol):
    """Templates by the key they are sealed under, and by what made them."""

    def count_by_extractor(self, besides: Collection[str] = ()) -> list[ExtractorCount]:
        """Return how many references there are of each extractor that has any.

        Args:
            besides: extractors that are passed over.
        """

    def count_by_key(self) -> list[KeyCount]:
        """Return how many templates there are of each key that has any."""

    def lock_outdated(self, key_id: KeyId, count: int) -> list[EncryptedReference]:
        """Return up to so many references that are sealed under any other key.

        In a writing unit nobody else renews or erases them until the unit ends.
        """

    def replace(self, renewed: Sequence[EncryptedReference]) -> None:
        """Replace the seals of references that exist; their accounts and names stay."""
