"""From a recognised person to a code: THE PLACE where the account of a login ends.

Both ways of signing in end here: with a palm (``waiting``) and without one (``sign_on``). What
goes on is a grant for a pseudonym.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from oidc.accounts import consents, pseudonym, sessions
from oidc.protocol.identifiers import new_identifier
from oidc.tokens import codes
from oidc.types import Grant, GrantId

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.storage.transactions import Stores
    from oidc.types import (
        AccountId,
        Authenticated,
        AuthorizationRequest,
        Lifetimes,
        PairwiseSubject,
        SessionId,
    )

_REMEMBERED: Final = timedelta(days=1)
"""How much longer a grant is remembered than anything made from it."""


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new grant, and the code that is worth it."""

    grant_id: GrantId
    code: str = field(repr=False)


def record_consent(
    stores: Stores, request: AuthorizationRequest, account: AccountId, now: datetime
) -> None:
    """Keep that the person has just allowed this."""
    subject = pseudonym.subject_for(stores, account, request.sector, now)
    consents.record(stores, subject, request, now)


def issue(
    stores: Stores,
    request: AuthorizationRequest,
    person: Authenticated,
    session_id: SessionId,
    lifetimes: Lifetimes,
    now: datetime,
) -> IssuedCode:
    """Return a code for what the person allowed, now or before.

    Args:
        stores: inside the transaction of the caller.
        request: what was asked for.
        person: whose palm was recognised, and when.
        session_id: in which session of the browser.
        lifetimes: how long a code lives, and what may be made from it.
        now: aware, UTC.
    """
    subject = pseudonym.subject_for(stores, person.account, request.sector, now)
    grant = _grant(request, person, subject, session_id)
    expires_at = now + timedelta(seconds=lifetimes.code_s)
    keep_until = expires_at + timedelta(seconds=lifetimes.refresh_token_s) + _REMEMBERED
    code = codes.issue(stores, grant, request, expires_at=expires_at, keep_until=keep_until)
    return IssuedCode(grant.grant_id, code)


def _grant(
    request: AuthorizationRequest,
    person: Authenticated,
    subject: PairwiseSubject,
    session_id: SessionId,
) -> Grant:
    return Grant(
        grant_id=GrantId(new_identifier()),
        client_id=request.client_id,
        subject=subject,
        scope=request.scope,
        nonce=request.nonce,
        auth_time=person.auth_time,
        amr=person.amr,
        session_id=session_id,
        sid=sessions.sid_for(session_id, request.client_id),
    )
