"""Port: which key encrypts which templates, counts by extractor, and re-keying."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.types import ExtractorId
from mobile_api.storage.key_ring import KeyId
from mobile_api.types import EncryptedReference


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
    """How many references and accounts one extractor has."""

    extractor: ExtractorId
    references: int
    accounts: int


class TemplateKeys(Protocol):
    """Templates by key and by extractor."""

    def count_by_extractor(self, besides: Collection[str] = ()) -> list[ExtractorCount]:
        """Return the counts of each extractor that has references, except ``besides``."""

    def count_by_key(self) -> list[KeyCount]:
        """Return the counts of each key that has templates."""

    def lock_outdated(self, key_id: KeyId, count: int) -> list[EncryptedReference]:
        """Return up to ``count`` references encrypted under other keys, locked."""

    def replace(self, renewed: Sequence[EncryptedReference]) -> None:
        """Replace the ciphertext of existing references."""
