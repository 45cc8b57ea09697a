"""Issues codes and refusals: the account of a login ends here.

With a palm (``browser``) or without (``authorizer``), what goes on is a grant for a pseudonym.
Sandbox clients sign in ten people who do not exist. Their accounts are fixed. No real person
has one: the alias of an account is any of 2^128 numbers.
"""

from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final
from uuid import UUID, uuid5

from oidc.accounts import pseudonym, sessions
from oidc.client import AuthorizationRequest
from oidc.errors import AuthorizationRefused, LoginGone, SandboxBreached
from oidc.protocol import digest_of, granted, new_identifier
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code
from oidc.types import (
    AccountId,
    Authenticated,
    Grant,
    GrantId,
    Level,
    Lifetimes,
    NextStep,
    PairwiseSubject,
    SessionId,
)

_NAMESPACE: Final = UUID("6f3a1c52-0d6e-4f0b-9c43-2a8d5be1f7c4")

PEOPLE: Final = MappingProxyType(
    {
        name: AccountId(uuid5(_NAMESPACE, name))
        for name in (f"person-{number}" for number in range(1, 11))
    }
)
"""Account of each, by the name that a sandbox client asks for."""


REASONS: Final = {
    NextStep.DECLINED: "the person declined on the phone",
    NextStep.EXPIRED: "the time for signing in ran out",
    NextStep.LOCKED: "the palm could not be verified",
    NextStep.CODE_LOCKED: "the wrong confirmation code was entered too often",
    NextStep.CANCELLED: "the person cancelled in the browser",
    NextStep.SUPERSEDED: "a newer sign-in has replaced this one",
    NextStep.REPORTED: "the person reported that another person started this sign-in",
    NextStep.PHONE_NOT_TRUSTED: "the palm was shown on a device that is not trusted yet",
}
"""``error_description`` for each way a login ends."""


def refusal_of(hint: NextStep) -> AuthorizationRefused:
    """Return the client's error. Core Unmet Authentication Requirements 1.0 §1."""
    is_unmet = hint is NextStep.PHONE_NOT_TRUSTED
    error = "unmet_authentication_requirements" if is_unmet else "access_denied"
    return AuthorizationRefused(REASONS[hint], error)


_REMEMBERED: Final = timedelta(days=1)
"""How much longer a grant is stored than its tokens: second uses still find what to revoke."""


def spend_reference(stores: Stores, request: AuthorizationRequest) -> bool:
    """Spend the reference of a pushed request; False if another sign-in has spent it."""
    return not request.reference or stores.pushed.spend(bytes.fromhex(request.reference))


def issue(  # noqa: PLR0913 -- all that a code stands for
    stores: Stores,
    code: str,
    request: AuthorizationRequest,
    person: Authenticated,
    session_id: SessionId,
    lifetimes: Lifetimes,
    now: datetime,
) -> Grant:
    """Issue this code for what the person allowed, inside the caller's transaction.

    Scripted people are for sandbox clients alone, and these are for scripted people alone.
    Raises ``AuthorizationRefused`` for a level that the request does not accept, and for a
    pushed request that another sign-in has spent; ``LoginGone`` if another tab was faster.
    """
    if (person.account in PEOPLE.values()) is not request.sandbox:
        raise SandboxBreached("real people and sandbox clients, or the other way round")
    if not spend_reference(stores, request):
        raise AuthorizationRefused("the pushed request was used before")
    level = granted(person.level, request.accepts)
    if level is None:
        raise refusal_of(NextStep.PHONE_NOT_TRUSTED)
    subject = pseudonym.subject_for(stores, person.account, request.sector, now)
    grant = _grant(request, person, subject, session_id, level)
    expires_at = now + timedelta(seconds=lifetimes.code_s)
    keep = timedelta(seconds=lifetimes.refresh_token_s) + _REMEMBERED
    stores.grants.add(grant, expires_at + keep)
    issued = Code(
        digest=digest_of(code),
        grant_id=grant.grant_id,
        client_id=grant.client_id,
        redirect_uri=request.redirect_uri,
        code_challenge=request.code_challenge,
        expires_at=expires_at,
        dpop_jkt=request.dpop_jkt,
    )
    if not stores.codes.add(issued):
        raise LoginGone
    return grant


def _grant(
    request: AuthorizationRequest,
    person: Authenticated,
    subject: PairwiseSubject,
    session_id: SessionId,
    level: Level,
) -> Grant:
    return Grant(
        grant_id=GrantId(new_identifier()),
        client_id=request.client_id,
        subject=subject,
        scope=request.scope,
        nonce=request.nonce,
        auth_time=person.auth_time,
        level=level,
        session_id=session_id,
        sid=sessions.sid_for(session_id, request.client_id),
    )
