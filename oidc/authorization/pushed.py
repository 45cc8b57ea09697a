"""Pushed authorization requests (PAR), RFC 9126: stored, then named by the browser.

The reference is 256 random bits, stored as digest. For a minute it begins sign-ins (a reload, a
preview, a second tab); the first one that gets a code spends it (FAPI 2.0 §5.3.2.2, note 3).
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from oidc.authorization import request
from oidc.client import Client
from oidc.errors import AuthorizationRefused, PushedRequestGone, UntrustedRequest
from oidc.login.create import expected_account
from oidc.protocol import KNOWN, Parameters, digest_of, is_identifier, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.logins import PushedRequest
from oidc.types import ClientId

_PREFIX: Final = "urn:ietf:params:oauth:request_uri:"
_LIFETIME: Final = timedelta(seconds=60)
"""RFC 9126 §2.2 suggests 5 to 600 seconds."""


@dataclass(frozen=True, slots=True)
class PushedReference:
    """The reference that the client sends instead of a request."""

    request_uri: str = field(repr=False)
    expires_in: int


def push(
    stores: Stores, client: Client, fields: dict[str, str], now: datetime, *, require_pkce: bool
) -> PushedReference:
    """Check a request, store it, and return its reference. Raises ``AuthorizationRefused``.

    Credentials and unknown parameters are not stored.
    """
    values = {name: value for name, value in fields.items() if name in KNOWN}
    if "request_uri" in values:
        raise AuthorizationRefused("request_uri cannot be pushed")
    # The client is authenticated: it cannot name another one.
    values["client_id"] = client.client_id
    parameters = Parameters(values, frozenset())
    try:
        trusted = request.require_trusted(stores, parameters)
    except UntrustedRequest as fault:
        raise AuthorizationRefused(str(fault)) from fault
    parameters = replace(parameters, is_pushed=True)
    checked = request.validate(parameters, trusted, require_pkce=require_pkce)
    expected_account(stores, checked)
    return store(stores, client, parameters, now)


def store(
    stores: Stores, client: Client, parameters: Parameters, now: datetime
) -> PushedReference:
    """Store a checked request."""
    secret = new_secret()
    stores.pushed.add(
        PushedRequest(digest_of(secret), client.client_id, parameters.values, now + _LIFETIME)
    )
    return PushedReference(_PREFIX + secret, int(_LIFETIME.total_seconds()))


def is_reference(parameters: Parameters) -> bool:
    """Return whether the browser brought a reference."""
    return (parameters.get("request_uri") or "").startswith(_PREFIX)


def resolve(stores: Stores, parameters: Parameters, now: datetime) -> Parameters:
    """Return the request that a reference names; of other parameters only ``client_id`` counts.

    RFC 9126 §4. Raises ``UntrustedRequest`` if unknown, late, used, or another client's.
    """
    request_uri = parameters.get("request_uri") or ""
    if parameters.repeated & {"client_id", "request_uri"}:
        raise UntrustedRequest("client_id or request_uri was sent twice")
    client_id = parameters.get("client_id") or ""
    digest = digest_of(request_uri.removeprefix(_PREFIX))
    is_name = is_identifier(client_id)
    pushed = stores.pushed.find(digest, ClientId(client_id), now) if is_name else None
    if pushed is None:
        raise PushedRequestGone("the pushed request is unknown or was used before")
    return Parameters(pushed.parameters, frozenset(), is_pushed=True, reference=digest.hex())
