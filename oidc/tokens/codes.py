"""Authorization codes, stored as digests. RFC 6749 §4.1.2."""

from collections.abc import Callable
from datetime import datetime

from oidc.protocol import digest_of, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code
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
    """Return this client's code, spent or not, locked: others must not spend it."""
    found = stores.codes.lock(digest_of(code))
    return None if found is None or found.client_id != client_id else found
