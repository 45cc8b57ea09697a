"""Consents: what a person allowed a client, after a palm.

Used for signing in without a palm, if it covers every scope and the client's displayed name and
host are unchanged. OpenID Connect Core §3.1.2.4.
"""

import hashlib
import json
from datetime import datetime

from oidc.client import AuthorizationRequest
from oidc.protocol import host_of, without_loopback_port
from oidc.storage.database import Stores
from oidc.storage.stores.sessions import Consent
from oidc.types import PairwiseSubject


def record(
    stores: Stores, subject: PairwiseSubject, request: AuthorizationRequest, now: datetime
) -> None:
    """Add the request's scope to what the client was allowed before."""
    shown = display_digest(request)
    before = stores.consents.find(subject, request.client_id)
    kept = before.scope if before is not None and before.shown == shown else ()
    scope = tuple(dict.fromkeys((*kept, *request.scope)))
    stores.consents.put(Consent(subject, request.client_id, scope, shown, now))


def covers(consent: Consent, request: AuthorizationRequest) -> bool:
    """Return whether the person need not be asked again."""
    is_within = set(request.scope) <= set(consent.scope)
    return is_within and consent.shown == display_digest(request)


def display_digest(request: AuthorizationRequest) -> bytes:
    """Return the SHA-256 of the client's displayed name and host."""
    shown = [request.client_name, host_of(without_loopback_port(request.redirect_uri))]
    return hashlib.sha256(json.dumps(shown).encode("ascii")).digest()
