"""Relying parties: registered out of band, known by their identifier and a proof.

A secret is 256 random bits, shown once and stored as SHA-256; redirect URIs are compared
exactly, character by character (RFC 9700 §4.1.3). Refuses names and addresses that could
mislead a person.

A client with a secret need not use PKCE unless told so: the specification has none. A public
client proves nothing, so PKCE is compulsory for it (RFC 9700 §2.1.1).
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oidc.addresses import require_redirect_uri
from oidc.client_keys import require_public_keys
from oidc.errors import ClientRefused, RedirectUriRefused, UnknownClient
from oidc.secrets import digest_of, is_identifier, new_identifier, new_secret
from oidc.types import Authentication, Client, ClientId, SectorIdentifier

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.storage.transactions import Stores

SCOPES: Final = ("openid", "offline_access")
"""Every scope there is. OpenID Connect Core §3.1.2.1 and §11."""

ID_TOKEN_ALGORITHMS: Final = ("RS256", "ES256")
"""What ID tokens may be signed with; the first is the default. OpenID Connect Core §15.1."""

_NAME_LENGTH: Final = 80

_NO_SECRET: Final = digest_of("")
"""Compared when the client is unknown, so that strangers take as long as guesses."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A client and its secret, which is shown now and never again; empty if it has none."""

    client: Client
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen at registration; see ``Client``.

    Attributes:
        scope: what the client may ask for.
        external_user_id: whether ID tokens repeat ``sub`` under that name.
        authentication: how it proves itself.
        jwks: JSON of its public keys; needed by, and only by, private_key_jwt.
        require_pkce: always true for public clients.
        id_token_algorithm: one of ``ID_TOKEN_ALGORITHMS``.
        require_par: whether it must push every request (RFC 9126).
        resource_server: an API that asks about tokens; it needs no redirect URI.
    """

    scope: Sequence[str] = SCOPES
    external_user_id: bool = True
    authentication: Authentication = Authentication.CLIENT_SECRET
    jwks: str | None = None
    require_pkce: bool = False
    id_token_algorithm: str = ID_TOKEN_ALGORITHMS[0]
    resource_server: bool = False
    require_par: bool = False


def register(
    stores: Stores,
    name: str,
    redirect_uris: Sequence[str],
    *,
    now: datetime,
    options: Options = Options(),
) -> Registered:
    """Register a client; its subjects are stable within itself (its own sector).

    Raises:
        ClientRefused: the name, the scope, a key or an option is not acceptable.
        RedirectUriRefused: there is none, or one that could not be kept safe.
    """
    client_id = ClientId(new_identifier())
    has_secret = options.authentication is Authentication.CLIENT_SECRET
    secret = new_secret() if has_secret else ""
    client = Client(
        client_id=client_id,
        name=_checked_name(name),
        redirect_uris=_checked_uris(redirect_uris, options),
        scope=_checked_scope(options.scope),
        sector=SectorIdentifier(client_id),
        external_user_id=options.external_user_id,
        secret_digest=digest_of(secret) if has_secret else b"",
        created_at=now,
        authentication=options.authentication,
        jwks=_checked_keys(options),
        require_pkce=options.require_pkce or options.authentication is Authentication.NONE,
        id_token_algorithm=_checked_algorithm(options.id_token_algorithm),
        resource_server=options.resource_server,
        require_par=options.require_par,
    )
    stores.clients.add(client)
    return Registered(client, secret)


def find(stores: Stores, client_id: str) -> Client | None:
    """Return the client of that name; None if there is none."""
    if not is_identifier(client_id):
        return None
    return stores.clients.find(ClientId(client_id))


def authenticate(stores: Stores, client_id: str, secret: str) -> Client | None:
    """Return the client if the secret is its own; None alike for strangers and wrong secrets.

    Constant time in the secret; no secret opens a client that has none. RFC 6749 §2.3.1.
    """
    client = find(stores, client_id)
    expected = _NO_SECRET if client is None else client.secret_digest
    is_right = hmac.compare_digest(expected, digest_of(secret))
    return client if is_right else None


def rotate_secret(stores: Stores, client_id: str) -> str:
    """Replace the secret at once; return the new one, which is shown now and never again.

    Raises:
        UnknownClient: there is no such client.
        ClientRefused: it proves itself in another way.
    """
    secret, client = new_secret(), find(stores, client_id)
    if client is None:
        raise UnknownClient("there is no such client")
    if client.authentication is not Authentication.CLIENT_SECRET:
        raise ClientRefused(f"the client authenticates by {client.authentication}")
    stores.clients.replace_secret(ClientId(client_id), digest_of(secret))
    return secret


def remove(stores: Stores, client_id: str) -> None:
    """Forget the client, its logins, grants and tokens. Its pseudonyms stay, and stay unused.

    Raises:
        UnknownClient: there is no such client.
    """
    if find(stores, client_id) is None:
        raise UnknownClient("there is no such client")
    stores.clients.remove(ClientId(client_id))


def _checked_name(name: str) -> str:
    trimmed = name.strip()
    # isprintable refuses control and formatting characters: no line breaks, no turned text.
    if not 0 < len(trimmed) <= _NAME_LENGTH or not trimmed.isprintable():
        raise ClientRefused(f"a name has 1 to {_NAME_LENGTH} printable characters")
    return trimmed


def _checked_uris(redirect_uris: Sequence[str], options: Options) -> tuple[str, ...]:
    if not redirect_uris and not options.resource_server:
        raise RedirectUriRefused("a client needs at least one redirect URI")
    return tuple(dict.fromkeys(require_redirect_uri(uri) for uri in redirect_uris))


def _checked_scope(scope: Sequence[str]) -> tuple[str, ...]:
    if "openid" not in scope or not set(scope) <= set(SCOPES):
        raise ClientRefused("a scope contains openid, and possibly offline_access")
    return tuple(value for value in SCOPES if value in scope)


def _checked_keys(options: Options) -> str | None:
    if options.resource_server and options.authentication is Authentication.NONE:
        raise ClientRefused("a resource server must prove itself")
    signs = options.authentication is Authentication.PRIVATE_KEY_JWT
    if signs != (options.jwks is not None):
        raise ClientRefused("private_key_jwt needs a JWK set, and nothing else takes one")
    return None if options.jwks is None else require_public_keys(options.jwks)


def _checked_algorithm(algorithm: str) -> str:
    if algorithm not in ID_TOKEN_ALGORITHMS:
        raise ClientRefused(f"ID tokens are signed by {' or '.join(ID_TOKEN_ALGORITHMS)}")
    return algorithm
