"""Authorization codes, stored as digests. RFC 6749 §4.1.2."""

from datetime import datetime

from oidc.protocol import digest_of
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code
from oidc.types import AuthorizationRequest, ClientId, Grant


def issue(
    stores: Stores,
    code: str,
    grant: Grant,
    request: AuthorizationRequest,
    *,
    expires_at: datetime,
    keep_until: datetime,
) -> None:
    """Issue a new code for the grant.

    ``keep_until`` outlives all its tokens: a late second use still finds what to revoke.
    """
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


def find(stores: Stores, code: str, client_id: ClientId) -> Code | None:
    """Return this client's code, spent or not, locked: others must not spend it."""
    found = stores.codes.lock(digest_of(code))
    return None if found is None or found.client_id != client_id else found
