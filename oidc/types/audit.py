"""One entry of a hash-chained audit log, in either database.

Each holds the SHA-256 of itself and the entry before. A writer of the database can still cut
off the end or rewrite it all: note the last digest on another host.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_START: Final = bytes(32)
"""Digest before the first entry."""


class AuditEvent(StrEnum):
    """The audit events of the protocol database."""

    CLIENT_REGISTERED = "client_registered"
    CLIENT_CHANGED = "client_changed"
    CLIENT_REMOVED = "client_removed"
    SECRET_ROTATED = "client_secret_rotated"  # noqa: S105 - a name
    SIGNING_KEY_MADE = "signing_key_made"
    INITIAL_TOKEN_GIVEN = "initial_token_given"  # noqa: S105 - a name
    INITIAL_TOKEN_REVOKED = "initial_token_revoked"  # noqa: S105 - a name
    DEVELOPER_INVITED = "developer_invited"
    DEVELOPER_JOINED = "developer_joined"
    DEVELOPER_LINK_GIVEN = "developer_link_given"
    DEVELOPER_ENTERED = "developer_entered"
    DEVELOPER_REMOVED = "developer_removed"
    MEMBER_INVITED = "client_member_invited"
    MEMBER_ADDED = "client_member_added"
    MEMBER_REMOVED = "client_member_removed"
    OWNER_CHANGED = "client_owner_changed"
    PSEUDONYM_WITHDRAWN = "pseudonym_withdrawn"
    ACCOUNT_FORGOTTEN = "account_forgotten"
    CREDENTIAL_REUSED = "credential_reused"
    LOGIN_REPORTED = "login_reported"
    LOGINS_ENDED = "logins_ended"
    SIGN_INS_ENDED = "sign_ins_ended"
    RESTORED = "restored"


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
        cls,
        last: AuditEntry | None,
        event: StrEnum,
        at: datetime,
        details: Mapping[str, int | str],
    ) -> Self:
        """Return the entry that follows ``last``; None starts the chain."""
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        text = json.dumps(dict(details), sort_keys=True, separators=(",", ":"))
        position, before = _end_of(last)
        digest = _digest_of(before, position + 1, at, event.value, text)
        return cls(position + 1, at, event.value, text, digest)

    def follows(self, last: AuditEntry | None) -> bool:
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
