"""What happened to accounts and phones, as a chain: nothing in it can be changed unnoticed.

Each entry carries the SHA-256 of itself and of the entry before it. Whoever may write the
database can still cut the end off, or write the whole chain anew: note the last digest
somewhere else now and then, and give it to ``thenar audit verify``. No entry names an account,
a phone, an address or a client; there is nothing biometric in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from mobile_api.errors import AuditBroken
from oidc.types import AuditEntry


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


def require_whole(entries: Iterable[AuditEntry]) -> AuditEntry | None:
    """Check a chain, oldest entry first; return the last one, None if there is none.

    Where old entries were forgotten in time, the oldest that is left is where checking begins.

    Raises:
        AuditBroken: an entry is not what was written, is missing, or stands elsewhere.
    """
    last: AuditEntry | None = None
    for entry in entries:
        is_first_left = last is None and entry.position > 1
        if not is_first_left and not entry.follows(last):
            place = 1 if last is None else last.position + 1
            raise AuditBroken(f"the audit log is not what was written, at entry {place}")
        last = entry
    return last
