"""The authorization request: trusts client and redirect URI, then runs the checks.

Nothing is redirected before both are trusted (RFC 6749 §4.1.2.1, RFC 9700 §4.11).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from oidc.authorization.checks import CHECKS
from oidc.client import AuthorizationRequest, Client
from oidc.clients import registry
from oidc.errors import AuthorizationRefused, UnregisteredRedirect, UntrustedRequest
from oidc.protocol import (
    LEVELS,
    Parameters,
    ResponseTarget,
    acr_of,
    granted,
    played,
    without_loopback_port,
)
from oidc.storage.database import Stores
from oidc.types import Level

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!$-;=A-\[\]-~]{1,200}")
"""What ``error_description`` may carry, without user information."""


def levels_of(client: Client, *, palm_alone: bool) -> tuple[Level, ...]:
    """Return the levels that a client accepts, best first.

    ``palm_alone``: the operator allows it, which does not concern sandboxes.
    """
    is_accepted = {
        Level.PALM_AND_PHONE: True,
        Level.PALM_AT_STATION: client.accept_stations,
        Level.PALM: client.accept_palm_alone and (palm_alone or client.sandbox),
    }
    accepted = tuple(each for each in LEVELS if is_accepted[each])
    return played(accepted) if client.sandbox else accepted


def demanded(
    accepted: Sequence[Level], acr_values: Sequence[str] | None, issuer: str
) -> tuple[Level, ...]:
    """Return the accepted levels that an essential ``acr`` leaves; None demands nothing.

    Raises ``AuthorizationRefused`` if there are none. OpenID Connect Core §5.5.1.1, Core Unmet
    Authentication Requirements 1.0 §1.
    """
    if acr_values is None:
        return tuple(accepted)
    left = tuple(each for each in accepted if acr_of(issuer, each) in acr_values)
    if not left:
        raise AuthorizationRefused(
            "this client cannot have the essential acr", "unmet_authentication_requirements"
        )
    return left


def is_enough(
    shown: Level, request: AuthorizationRequest, wishes: Sequence[str], issuer: str
) -> bool:
    """Return whether an earlier palm reached a level that is accepted, and the first wish.

    ``wishes``: ``acr_values``, in order of preference; what is not accepted is passed over.
    """
    named = {acr_of(issuer, each): each for each in request.accepts}
    wished = next((named[each] for each in wishes if each in named), None)
    return granted(shown, request.accepts if wished is None else (wished,)) is not None


@dataclass(frozen=True, slots=True)
class Trusted:
    """A client and one of its redirect URIs."""

    client: Client
    redirect_uri: str
    registered_itself: bool = False


def require_trusted(stores: Stores, parameters: Parameters) -> Trusted:
    """Return client and redirect URI if registered. Raises ``UntrustedRequest``."""
    if parameters.repeated & {"client_id", "redirect_uri"}:
        raise UntrustedRequest("client_id or redirect_uri was sent twice")
    client = registry.find(stores, parameters.get("client_id") or "")
    if client is None:
        raise UntrustedRequest("the client is not registered")
    redirect_uri = parameters.get("redirect_uri")
    if redirect_uri is None or not _is_registered(redirect_uri, client):
        raise UnregisteredRedirect(client.client_id, client.name, _shown(redirect_uri))
    registered_itself = stores.registrations.find(client.client_id) is not None
    return Trusted(client, redirect_uri, registered_itself)


def _shown(redirect_uri: str | None) -> str:
    """Return what a developer may see of it: no query, which may hold secrets, no prose."""
    sent = redirect_uri or ""
    address = re.split("[?#]", sent, maxsplit=1)[0]
    if not _ADDRESS.fullmatch(address):
        return "no address"
    return address if address == sent else f"{address}..."


def _is_registered(redirect_uri: str, client: Client) -> bool:
    """Compare exactly; on loopback a native client listens on any port. RFC 8252 §7.3."""
    if redirect_uri in client.redirect_uris or not client.native:
        return redirect_uri in client.redirect_uris
    return without_loopback_port(redirect_uri) in map(
        without_loopback_port, client.redirect_uris
    )


def response_target(parameters: Parameters, trusted: Trusted) -> ResponseTarget:
    """Return where an error goes before the request is valid."""
    return ResponseTarget(trusted.redirect_uri, parameters.response_mode, parameters.state)


def validate(
    parameters: Parameters,
    trusted: Trusted,
    *,
    palm_alone: bool = False,
    require_pkce: bool = False,
) -> AuthorizationRequest:
    """Run every check. Raises ``AuthorizationRefused``.

    ``palm_alone``: the operator lets a palm alone sign in where the client accepts that.
    ``require_pkce``: the operator demands PKCE of all clients.
    """
    client = trusted.client
    for check in CHECKS:
        check(parameters)
    # Always of public clients: RFC 9700 §2.1.1.
    needs_pkce = require_pkce or client.require_pkce
    if needs_pkce and parameters.get("code_challenge") is None:
        raise AuthorizationRefused("this client must send a code_challenge")
    if client.require_par and not parameters.is_pushed:  # RFC 9126 §6
        raise AuthorizationRefused("this client must use pushed authorization requests")
    return AuthorizationRequest(
        client_id=client.client_id,
        client_name=client.name,
        sector=client.sector,
        redirect_uri=trusted.redirect_uri,
        scope=_granted_scope(parameters, client.scope),
        state=parameters.state,
        nonce=parameters.get("nonce"),
        code_challenge=parameters.get("code_challenge"),
        user_id=parameters.get("user_id"),
        response_mode=parameters.response_mode,
        dpop_jkt=parameters.get("dpop_jkt"),
        confirm_code=client.confirm_code,
        ui_locales=parameters.get("ui_locales"),
        accepts=levels_of(client, palm_alone=palm_alone),
        registered_itself=trusted.registered_itself,
        sandbox=client.sandbox,
        reference=parameters.reference,
    )


def _granted_scope(parameters: Parameters, allowed: Sequence[str]) -> tuple[str, ...]:
    requested = (parameters.get("scope") or "").split(" ")
    return tuple(value for value in allowed if value in requested)
