"""Registers and finds relying parties.

Secrets are 256 random bits, shown once and stored as SHA-256; redirect URIs are compared
exactly (RFC 9700 §4.1.3). PKCE is compulsory for public clients (RFC 9700 §2.1.1).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from oidc.clients.names import require_name
from oidc.errors import ClientRefused, RedirectUriRefused, UnknownClient
from oidc.protocol.identifiers import digest_of, is_identifier, new_identifier, new_secret
from oidc.protocol.redirect_uris import (
    require_backchannel_uri,
    require_public_host,
    require_redirect_uris,
)
from oidc.types import (
    AuditEvent,
    Authentication,
    Client,
    ClientId,
    ConfirmCode,
    Profile,
    SectorIdentifier,
)

if TYPE_CHECKING:
    from oidc.storage.transactions import Stores

SCOPES: Final = ("openid", "offline_access")
"""Every supported scope. OpenID Connect Core §3.1.2.1, §11."""

ID_TOKEN_ALGORITHMS: Final = ("RS256", "ES256")
"""Signatures of ID tokens; the first is the default. OpenID Connect Core §15.1."""

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RegisteredClient:
    """A client and its secret, which is shown once; empty if it has none."""

    client: Client
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen at registration; see ``Client``.

    FAPI 2.0 makes PKCE, PAR, DPoP, private_key_jwt and ES256 compulsory.
    """

    scope: Sequence[str] = SCOPES
    external_user_id: bool = True
    authentication: Authentication = Authentication.CLIENT_SECRET
    jwks: str | None = None
    require_pkce: bool = True
    id_token_algorithm: str = ID_TOKEN_ALGORITHMS[0]
    resource_server: bool = False
    require_par: bool = False
    require_dpop: bool = False
    confirm_code: ConfirmCode = ConfirmCode.ON_RISK
    profile: Profile = Profile.STANDARD
    post_logout_redirect_uris: Sequence[str] = ()
    backchannel_logout_uri: str | None = None
    backchannel_logout_session_required: bool = False
    accept_palm_alone: bool = False
    accept_stations: bool = False
    sandbox: bool = False
    native: bool = False


def register(
    stores: Stores,
    name: str,
    redirect_uris: Sequence[str],
    *,
    now: datetime,
    options: Options = Options(),
) -> RegisteredClient:
    """Register a client in its own sector. Raises ``ClientRefused``, ``RedirectUriRefused``."""
    client_id = ClientId(new_identifier())
    has_secret = options.authentication is Authentication.CLIENT_SECRET
    secret = new_secret() if has_secret else ""
    client = replace(
        _checked(name, redirect_uris, _with_profile(options)),
        client_id=client_id,
        sector=SectorIdentifier(client_id),
        secret_digest=digest_of(secret) if has_secret else b"",
        created_at=now,
    )
    stores.clients.add(client)
    stores.audit.record(AuditEvent.CLIENT_REGISTERED, now, client=client_id)
    return RegisteredClient(client, secret)


def update(
    stores: Stores,
    client: Client,
    name: str,
    redirect_uris: Sequence[str],
    options: Options,
    *,
    now: datetime,
) -> Client:
    """Replace what may be chosen; ID, sector, secret, method and sandbox stay.

    Raises ``ClientRefused``, ``RedirectUriRefused``, ``UnknownClient``.
    """
    if options.authentication is not client.authentication:
        raise ClientRefused(
            "the authentication method cannot be changed: register another client"
        )
    if options.sandbox is not client.sandbox:
        # Its people would become real ones, or the other way round.
        raise ClientRefused("sandbox cannot be changed: register another client")
    checked = _checked(name, redirect_uris, _with_profile(options))
    # Read anew: its secret may have been replaced meanwhile.
    present = require_locked(stores, client.client_id)
    changed = replace(
        checked,
        client_id=present.client_id,
        sector=present.sector,
        secret_digest=present.secret_digest,
        former_secret_digest=present.former_secret_digest,
        former_secret_ends_at=present.former_secret_ends_at,
        created_at=present.created_at,
    )
    stores.clients.replace(changed)
    record_change(stores, AuditEvent.CLIENT_CHANGED, changed, now)
    return changed


def require_acceptable(name: str, redirect_uris: Sequence[str], options: Options) -> None:
    """Check what may be chosen. Raises ``ClientRefused``, ``RedirectUriRefused``."""
    _checked(name, redirect_uris, _with_profile(options))


def require_reachable(options: Options, *, allows_private_hosts: bool) -> None:
    """Check that logout tokens can be posted where it wants. Raises ``ClientRefused``."""
    if options.backchannel_logout_uri is None or allows_private_hosts:
        return
    try:
        require_public_host(options.backchannel_logout_uri)
    except RedirectUriRefused as fault:
        raise ClientRefused(f"backchannel_logout_uri: {fault}") from fault


def require_allowed_level(
    options: Options, *, palm_alone: bool, present: Client | None = None
) -> None:
    """Refuse a palm alone on a server that does not allow it; raises ``ClientRefused``.

    For clients that the operator does not register. What ``present`` has may stay.
    """
    is_new = options.accept_palm_alone and not (present and present.accept_palm_alone)
    if is_new and not (palm_alone or options.sandbox):
        raise ClientRefused("accept_palm_alone: the operator of this server does not allow it")


def _checked(name: str, redirect_uris: Sequence[str], options: Options) -> Client:
    """Return what may be chosen, as a client without the rest."""
    chosen = {each.name: getattr(options, each.name) for each in fields(Options)}
    checked = {
        "name": require_name(name),
        "redirect_uris": _checked_uris(redirect_uris, options),
        "scope": _checked_scope(options.scope),
        "jwks": _checked_keys(options),
        "require_pkce": options.require_pkce or _needs_pkce(options),
        "id_token_algorithm": _checked_algorithm(options.id_token_algorithm),
        "post_logout_redirect_uris": _checked_return_uris(options),
        "backchannel_logout_uri": _checked_logout_uri(options),
    }
    rest = {"client_id": ClientId(""), "sector": SectorIdentifier(""), "secret_digest": b""}
    return Client(**{**chosen, **checked, **rest, "created_at": _NEVER})


def _needs_pkce(options: Options) -> bool:
    """Any program of a device may listen on its loopback. RFC 8252 §6, RFC 9700 §2.1.1."""
    return options.native or options.authentication is Authentication.NONE


def _with_profile(options: Options) -> Options:
    """Return the options with what their profile makes compulsory. FAPI 2.0 §5.3.2, §5.4.1."""
    if options.profile is not Profile.FAPI2:
        return options
    if options.authentication is not Authentication.PRIVATE_KEY_JWT:
        raise ClientRefused("the profile fapi2 needs private_key_jwt")
    return replace(
        options,
        require_pkce=True,
        require_par=True,
        require_dpop=True,
        id_token_algorithm="ES256",  # noqa: S106 - the name of an algorithm
    )


def find(stores: Stores, client_id: str) -> Client | None:
    """Return the client, or None."""
    if not is_identifier(client_id):
        return None
    return stores.clients.find(ClientId(client_id))


def require(stores: Stores, client_id: str) -> Client:
    """Return the client. Raises ``UnknownClient``."""
    found = find(stores, client_id)
    if found is None:
        raise UnknownClient("there is no such client")
    return found


def require_locked(stores: Stores, client_id: str) -> Client:
    """Return the client, locked for a change. Raises ``UnknownClient``."""
    found = stores.clients.lock(ClientId(client_id)) if is_identifier(client_id) else None
    if found is None:
        raise UnknownClient("there is no such client")
    return found


def meets_profile(client: Client, profile: Profile) -> bool:
    """Return whether an installation with this profile serves the client."""
    return profile is Profile.STANDARD or client.profile is profile


def remove(stores: Stores, client_id: str, *, now: datetime) -> None:
    """Remove the client with its grants; pseudonyms stay, unused.

    Raises ``UnknownClient``.
    """
    record_change(stores, AuditEvent.CLIENT_REMOVED, require(stores, client_id), now)
    stores.clients.remove(ClientId(client_id))


def record_change(
    stores: Stores, event: AuditEvent, client: Client, now: datetime, **details: int | str
) -> None:
    """Record a change of a client, and tell its developers, except who made it."""
    stores.audit.record(event, now, client=client.client_id, **details)
    stores.team_notices.tell(client, event, stores.audit.actor, now)


def _checked_uris(redirect_uris: Sequence[str], options: Options) -> tuple[str, ...]:
    if not redirect_uris and not options.resource_server:
        raise RedirectUriRefused("a client needs at least one redirect URI")
    return require_redirect_uris(redirect_uris)


def _checked_return_uris(options: Options) -> tuple[str, ...]:
    """RP-Initiated Logout 1.0 §3.1."""
    uris = options.post_logout_redirect_uris
    try:
        return require_redirect_uris(uris)
    except RedirectUriRefused as fault:
        raise ClientRefused(f"post_logout_redirect_uris: {fault}") from fault


def _checked_logout_uri(options: Options) -> str | None:
    """Back-Channel Logout 1.0 §2.2."""
    uri = options.backchannel_logout_uri
    if uri is not None:
        try:
            return require_backchannel_uri(uri)
        except RedirectUriRefused as fault:
            raise ClientRefused(f"backchannel_logout_uri: {fault}") from fault
    if options.backchannel_logout_session_required:
        raise ClientRefused(
            "backchannel_logout_session_required needs a backchannel_logout_uri"
        )
    return None


def _checked_scope(scope: Sequence[str]) -> tuple[str, ...]:
    if "openid" not in scope or not set(scope) <= set(SCOPES):
        raise ClientRefused("the scope must be openid, with or without offline_access")
    return tuple(value for value in SCOPES if value in scope)


def _checked_keys(options: Options) -> str | None:
    if options.resource_server and options.authentication is Authentication.NONE:
        raise ClientRefused("a resource server must authenticate")
    signs = options.authentication is Authentication.PRIVATE_KEY_JWT
    if signs != (options.jwks is not None):
        raise ClientRefused("private_key_jwt needs a JWK set, other methods take none")
    if options.jwks is None:
        return None
    from oidc.clients.jwks import (  # noqa: PLC0415 - loads joserfc
        FAPI_ALGORITHMS,
        require_public_keys,
    )

    checked = require_public_keys(options.jwks)
    algorithms = {key.get("alg") for key in json.loads(checked)["keys"]}
    if options.profile is Profile.FAPI2 and not algorithms & {None, *FAPI_ALGORITHMS}:
        raise ClientRefused("the profile fapi2 needs a key for ES256 or PS256")
    return checked


def _checked_algorithm(algorithm: str) -> str:
    if algorithm not in ID_TOKEN_ALGORITHMS:
        raise ClientRefused(f"ID tokens are signed with {' or '.join(ID_TOKEN_ALGORITHMS)}")
    return algorithm
