"""What happened to accounts and phones, as a chain: nothing in it can be changed unnoticed.

Each entry carries the SHA-256 of itself and of the entry before it. Whoever may write the
database can still cut the end off, or write the whole chain anew: note the last digest
somewhere else now and then, and give it to ``thenar audit verify``. No entry names an account,
a phone, an address or a client; there is nothing biometric in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from mobile_api.errors import AuditBroken

START: Final = bytes(32)
"""What stands before the first entry."""


class Event(StrEnum):
    """What is noted."""

    PHONE_REGISTERED = "phone_registered"
    ACCOUNT_OPENED = "account_opened"
    PALM_ADDED = "palm_added"
    PALM_MOVED = "palm_moved"
    PHONE_BOUND = "phone_bound"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_REMOVED = "passkey_removed"
    PASSKEY_COUNTER_FELL = "passkey_counter_fell"
    ACCOUNT_DELETED = "account_deleted"


@dataclass(frozen=True, slots=True)
class Entry:
    """One link.

    Attributes:
        position: 1, 2, 3 …
        at: aware, UTC, whole milliseconds.
        event: what happened.
        details: more about it, as JSON with sorted keys.
        digest: of this entry and the one before.
    """

    position: int
    at: datetime
    event: str
    details: str
    digest: bytes = field(repr=False)


def written(details: Mapping[str, int | str]) -> str:
    """Return details as they are kept."""
    return json.dumps(dict(details), sort_keys=True, separators=(",", ":"))


def digest_of(before: bytes, position: int, at: datetime, event: str, details: str) -> bytes:
    """Return the digest of an entry that follows another one."""
    moment = at.isoformat(timespec="milliseconds")
    link = json.dumps([position, moment, event, details], separators=(",", ":"))
    return hashlib.sha256(before + link.encode("utf-8")).digest()


def require_whole(entries: Iterable[Entry]) -> Entry | None:
    """Check a chain, oldest entry first; return the last one, None if there is none.

    Where old entries were forgotten in time, the oldest that is left is where checking begins.

    Raises:
        AuditBroken: an entry is not what was written, is missing, or stands elsewhere.
    """
    last: Entry | None = None
    for entry in entries:
        if last is None and entry.position > 1:
            last = entry
            continue
        position, before = (last.position, last.digest) if last else (0, START)
        ours = digest_of(before, position + 1, entry.at, entry.event, entry.details)
        if entry.position != position + 1 or entry.digest != ours:
            raise AuditBroken(f"the audit log is not what was written, at entry {position + 1}")
        last = entry
    return last
