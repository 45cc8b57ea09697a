"""The audit log: a hash chain of what happened to accounts and phones.

Each entry contains the SHA-256 of itself and its predecessor. Someone with write access to the
database can still cut off the end or rewrite the whole chain, so note the last digest elsewhere
and pass it to ``thenar audit verify``. No entry names an account, phone, address or client, and
none has biometric data.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from mobile_api.errors import AuditBroken
from oidc.types import AuditEntry


class Event(StrEnum):
    """Events of the audit log."""

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
    """Check a chain, oldest entry first; return the last entry, or None.

    Where retention removed old entries, checking starts at the oldest one left.

    Raises:
        AuditBroken: an entry was changed, is missing, or is out of order.
    """
    last: AuditEntry | None = None
    for entry in entries:
        is_first_left = last is None and entry.position > 1
        if not is_first_left and not entry.follows(last):
            place = 1 if last is None else last.position + 1
            raise AuditBroken(f"the audit log is not what was written, at entry {place}")
        last = entry
    return last
