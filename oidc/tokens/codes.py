"""Authorization codes: issued and consumed once, stored as digests. RFC 6749 §4.1.2."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from oidc.protocol.identifiers import digest_of, new_secret
from oidc.storage.stores.grants import Code
from oidc.storage.transactions import Stores
from oidc.tokens.replay import Credential, end_grant
from oidc.types import AuthorizationRequest, ClientId, Grant


def issue(
    stores: Stores,
    grant: Grant,
    request: AuthorizationRequest,
    *,
    expires_at: datetime,
    keep_until: datetime,
    new_code: Callable[[], str] = new_secret,
) -> str:
    """Issue a code for the grant.

    ``keep_until`` outlives all its tokens: a late second use still finds what to revoke.
    """
    code = new_code()
    stores.grants.add(grant, keep_until)
    stores.codes.add(
        Code(
            digest=digest_of(code),
            grant_id=grant.grant_id,
            client_id=grant.client_id,
            redirect_uri=request.redirect_uri,
            code_challenge=request.code_challenge,
            expires_at=expires_at,
            dpop_jkt=request.dpop_jkt,
        )
    )
    return code


def find(stores: Stores, code: str, client_id: ClientId) -> Code | None:
    """Return this client's code, spent or not, expired or not. Changes nothing."""
    found = stores.codes.find(digest_of(code))
    return None if found is None or found.client_id != client_id else found


def find_unspent(stores: Stores, code: str, client_id: ClientId, now: datetime) -> Code | None:
    """Return this client's code if still valid; a spent one revokes its grant.

    RFC 6749 §4.1.2. Another client's code is left alone: others must not spend them.
    """
    found = find(stores, code, client_id)
    if found is None:
        return None
    if found.spent:
        end_grant(stores, found.grant_id, Credential.CODE, now)
        return None
    return found if found.expires_at > now else None


def consume(stores: Stores, code: Code, now: datetime) -> Grant | None:
    """Spend a code whose redirect URI and verifier were right; return its grant.

    Atomic: of two concurrent calls one gets the grant, and the other revokes it.
    """
    if stores.codes.spend(code.digest, now):
        return stores.grants.find(code.grant_id)
    end_grant(stores, code.grant_id, Credential.CODE, now)
    return None
