"""Decides about a presented code or refresh token: the rule of replay is here alone."""

from __future__ import annotations

from datetime import datetime
from enum import Enum, auto

from oidc.storage.stores.grants import Code, RefreshToken
from oidc.storage.transactions import Stores
from oidc.types import AuditEvent


class Verdict(Enum):
    """The decision about a presented code or refresh token."""

    USE = auto()
    SAME_SUCCESSOR = auto()
    EXPIRED = auto()
    REPLAY = auto()


def decide(
    presented: Code | RefreshToken, now: datetime, successor: RefreshToken | None = None
) -> Verdict:
    """Judge a code or refresh token; ``successor`` is what it was exchanged for.

    A spent one is in two hands (RFC 6749 §4.1.2, RFC 9700 §4.14.2). But a response may have
    been lost: for a few seconds, while the successor is unused, it is returned again.
    """
    if presented.spent and not _is_in_grace(presented, now, successor):
        return Verdict.REPLAY
    if presented.expires_at <= now:
        return Verdict.EXPIRED
    return Verdict.SAME_SUCCESSOR if presented.spent else Verdict.USE


def end_family(stores: Stores, reused: Code | RefreshToken, now: datetime) -> None:
    """End the grant with its codes and tokens. RFC 6749 §4.1.2, RFC 9700 §4.14.2.

    Audited once, with the client but not the person.
    """
    if stores.grants.find(reused.grant_id) is None:
        return
    stores.grants.revoke(reused.grant_id, now)
    credential = "code" if isinstance(reused, Code) else "refresh_token"
    stores.audit.record(
        AuditEvent.CREDENTIAL_REUSED, now, client=reused.client_id, credential=credential
    )


def _is_in_grace(
    spent: Code | RefreshToken, now: datetime, successor: RefreshToken | None
) -> bool:
    if isinstance(spent, Code) or spent.sealed_until is None or successor is None:
        return False
    return now < spent.sealed_until and not successor.spent
