"""The audit log: a hash chain of what happened to accounts and phones.

Each entry contains the SHA-256 of itself and its predecessor. Who can write the database can
still cut off the end or rewrite everything, so note the last digest on another host for
``thenar audit verify``. No entry names an account, phone, address or client, or has biometric
data.
"""

from collections.abc import Iterable
from enum import StrEnum

from mobile_api.errors import AuditBroken
from oidc.plumbing.audit_entry import AuditEntry


class Event(StrEnum):
    """Events of the audit log."""

    ACCOUNT_OPENED = "account_opened"
    PALM_ADDED = "palm_added"
    PALM_MOVED = "palm_moved"
    REFERENCE_ADDED = "reference_added"
    PALM_RELEASED = "palm_released"
    PALM_SUSPENDED = "palm_suspended"
    DISPUTE_DISMISSED = "dispute_dismissed"
    PHONE_BOUND = "phone_bound"
    PHONE_TRUST_ASKED = "phone_trust_asked"
    PHONE_TRUSTED = "phone_trusted"
    PHONE_REFUSED = "phone_refused"
    PHONE_REMOVED = "phone_removed"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_REMOVED = "passkey_removed"
    PASSKEY_COUNTER_FELL = "passkey_counter_fell"
    STATION_ADDED = "station_added"
    STATION_ENROLLED = "station_enrolled"
    STATION_REMOVED = "station_removed"
    ACCOUNT_DELETED = "account_deleted"


def require_whole(entries: Iterable[AuditEntry]) -> AuditEntry | None:
    """Check a chain, oldest entry first; return the last entry, or None.

    Retention may have removed older entries.

    Raises:
        AuditBroken: an entry was changed, is missing, or out of order.
    """
    last: AuditEntry | None = None
    for entry in entries:
        is_first_left = last is None and entry.position > 1
        if not is_first_left and not entry.follows(last):
            place = 1 if last is None else last.position + 1
            raise AuditBroken(f"the audit log is not what was written, at entry {place}")
        last = entry
    return last
