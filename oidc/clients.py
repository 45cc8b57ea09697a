"""Relying parties: registered out of band, known by their identifier and a secret.

A secret is 256 random bits, shown once and stored as SHA-256; redirect URIs are compared
exactly, character by character (RFC 9700 §4.1.3). Refuses names and addresses that could
mislead a person.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oidc.addresses import require_redirect_uri
from oidc.errors import ClientRefused, RedirectUriRefused, UnknownClient
from oidc.secrets import digest_of, is_identifier, new_identifier, new_secret
from oidc.types import Client, ClientId, SectorIdentifier

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.storage.transactions import Stores

SCOPES: Final = ("openid", "offline_access")
"""Every scope there is. OpenID Connect Core §3.1.2.1 and §11."""

_NAME_LENGTH: Final = 80

_NO_SECRET: Final = digest_of("")
"""Compared when the client is unknown, so that strangers take as long as guesses."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A client and its secret, which is shown now and never again."""

    client: Client
    secret: str = field(repr=False)


def register(
    stores: Stores,
    name: str,
    redirect_uris: Sequence[str],
    *,
    now: datetime,
    scope: Sequence[str] = SCOPES,
    external_user_id: bool = True,
) -> Registered:
    """Register a client; its subjects are stable within itself (its own sector).

    Raises:
        ClientRefused: the name or the scope is not acceptable.
        RedirectUriRefused: there is none, or one that could not be kept safe.
    """
    client_id, secret = ClientId(new_identifier()), new_secret()
    client = Client(
        client_id=client_id,
        name=_checked_name(name),
        redirect_uris=_checked_uris(redirect_uris),
        scope=_checked_scope(scope),
        sector=SectorIdentifier(client_id),
        external_user_id=external_user_id,
        secret_digest=digest_of(secret),
        created_at=now,
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

    Constant time in the secret. RFC 6749 §2.3.1.
    """
    client = find(stores, client_id)
    expected = _NO_SECRET if client is None else client.secret_digest
    is_right = hmac.compare_digest(expected, digest_of(secret))
    return client if is_right else None


def rotate_secret(stores: Stores, client_id: str) -> str:
    """Replace the secret at once; return the new one, which is shown now and never again.

    Raises:
        UnknownClient: there is no such client.
    """
    secret = new_secret()
    if find(stores, client_id) is None:
        raise UnknownClient("there is no such client")
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


def _checked_uris(redirect_uris: Sequence[str]) -> tuple[str, ...]:
    if not redirect_uris:
        raise RedirectUriRefused("a client needs at least one redirect URI")
    return tuple(dict.fromkeys(require_redirect_uri(uri) for uri in redirect_uris))


def _checked_scope(scope: Sequence[str]) -> tuple[str, ...]:
    if "openid" not in scope or not set(scope) <= set(SCOPES):
        raise ClientRefused("a scope contains openid, and possibly offline_access")
    return tuple(value for value in SCOPES if value in scope)
