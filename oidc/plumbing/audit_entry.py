"""An entry of an audit log: it holds the SHA-256 of itself and the entry before.

A writer of the database can still cut off the end or rewrite it all: note the last digest on
another host.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

_START: Final = bytes(32)
"""Digest before the first entry."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry.

    Attributes:
        position: from 1.
        at: aware, UTC, whole milliseconds.
        details: JSON, sorted keys.
        digest: over this entry and the one before.
    """

    position: int
    at: datetime
    event: str
    details: str
    digest: bytes = field(repr=False)

    @classmethod
    def after(
        cls, last: Self | None, event: StrEnum, at: datetime, details: Mapping[str, int | str]
    ) -> Self:
        """Return the entry that follows ``last``; None starts the chain."""
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        text = json.dumps(dict(details), sort_keys=True, separators=(",", ":"))
        position, before = _end_of(last)
        digest = _digest_of(before, position + 1, at, event.value, text)
        return cls(position + 1, at, event.value, text, digest)

    def follows(self, last: Self | None) -> bool:
        """Return whether this entry follows ``last`` unchanged."""
        position, before = _end_of(last)
        ours = _digest_of(before, position + 1, self.at, self.event, self.details)
        return self.position == position + 1 and self.digest == ours


def _end_of(last: AuditEntry | None) -> tuple[int, bytes]:
    return (0, _START) if last is None else (last.position, last.digest)


def _digest_of(before: bytes, position: int, at: datetime, event: str, details: str) -> bytes:
    moment = at.isoformat(timespec="milliseconds")
    link = json.dumps([position, moment, event, details], separators=(",", ":"))
    return hashlib.sha256(before + link.encode("utf-8")).digest()
