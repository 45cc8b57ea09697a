"""Dynamic client registration and management: RFC 7591 and RFC 7592.

Registering needs an operator's initial access token. Each client gets its own registration
access token, which stays: with another one at each update a lost answer would lose the client.
"""

import hmac
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from oidc.client import Client, Policy, Setter
from oidc.clients import registry
from oidc.clients.options import check, describe
from oidc.errors import ClientRefused, TokenInvalid, TooManyRegistrations, UnknownInitialToken
from oidc.protocol import digest_of, new_identifier, new_secret
from oidc.storage.database import Database, Stores
from oidc.storage.stores.clients import InitialAccessToken, Registration
from oidc.storage.stores.operation import Actor
from oidc.types import AuditEvent, Clock

_HOUR: Final = timedelta(hours=1)
_NAME_LENGTH: Final = 80

_OURS: Final = (
    "registration_access_token",
    "registration_client_uri",
    "client_secret_expires_at",
    "client_id_issued_at",
)
"""Not allowed in an update. RFC 7592 §2.2."""


@dataclass(frozen=True, slots=True)
class IssuedInitialToken:
    """A new initial access token; shown once."""

    stored: InitialAccessToken
    token: str = field(repr=False)


def issue_initial_token(
    stores: Stores, name: str, lifetime: timedelta, now: datetime
) -> IssuedInitialToken:
    """Issue a token to register clients with. RFC 7591 §1.2. Raises ``ClientRefused``."""
    trimmed = name.strip()
    if not 0 < len(trimmed) <= _NAME_LENGTH or not trimmed.isprintable():
        raise ClientRefused(f"a name needs 1 to {_NAME_LENGTH} printable characters")
    token = new_secret()
    stored = InitialAccessToken(
        new_identifier(), digest_of(token), trimmed, now, expires_at=now + lifetime
    )
    stores.initial_tokens.add(stored)
    stores.audit.record(AuditEvent.INITIAL_TOKEN_GIVEN, now, token=stored.token_id)
    return IssuedInitialToken(stored, token)


def revoke_initial_token(stores: Stores, token_id: str, now: datetime) -> None:
    """Revoke an initial access token; its clients stay. Raises ``UnknownInitialToken``."""
    if not stores.initial_tokens.revoke(token_id, now):
        raise UnknownInitialToken("the initial access token is unknown or was revoked before")
    stores.audit.record(AuditEvent.INITIAL_TOKEN_REVOKED, now, token=token_id)


@dataclass(frozen=True, slots=True)
class Registrar:
    """Registers clients for holders of tokens. Blocking.

    Methods raise ``TokenInvalid`` for a wrong token, ``ClientRefused`` for bad metadata.
    """

    database: Database
    clock: Clock
    uri: str
    hourly_limit: int
    policy: Policy

    def register(self, token: str, document: dict[str, Any]) -> dict[str, object]:
        """Register a client. RFC 7591 §3.2.1. Raises ``TooManyRegistrations``."""
        now, checked = self.clock(), check(document, self.policy)
        checked.accepted()  # or it is refused before the database is asked
        with self.database.write() as stores:
            stores.audit.set_actor(Actor.CLIENT)
            initial = self._admitted(stores, token, now)
            registered = registry.register(stores, checked, now=now)
            access = new_secret()
            client_id = registered.client.client_id
            stores.registrations.add(
                Registration(client_id, digest_of(access), initial.token_id, now)
            )
        secret = {"client_secret": registered.secret, "client_secret_expires_at": 0}
        shown = secret if registered.secret else {}
        return {**shown, **self._information(registered.client, access)}

    def read(self, token: str, client_id: str) -> dict[str, object]:
        """Return what a client is registered as. RFC 7592 §2.1."""
        with self.database.read() as stores:
            client = _managed(stores, token, client_id)
        return self._information(client, token)

    def update(self, token: str, client_id: str, document: dict[str, Any]) -> dict[str, object]:
        """Replace the metadata. RFC 7592 §2.2.

        What is left out returns to its default.
        """
        with self.database.write() as stores:
            stores.audit.set_actor(Actor.CLIENT)
            client = _managed(stores, token, client_id)
            _require_own(client, document)
            client = registry.require_locked(stores, client.client_id)
            checked = check(document, replace(self.policy, present=client))
            changed = registry.update(stores, client, checked, now=self.clock())
        return self._information(changed, token)

    def remove(self, token: str, client_id: str) -> None:
        """Remove a client with everything granted to it. RFC 7592 §2.3."""
        with self.database.write() as stores:
            stores.audit.set_actor(Actor.CLIENT)
            client = _managed(stores, token, client_id)
            registry.remove(stores, client.client_id, now=self.clock())

    def _admitted(self, stores: Stores, token: str, now: datetime) -> InitialAccessToken:
        initial = stores.initial_tokens.find(digest_of(token))
        if initial is None or initial.revoked_at is not None or initial.expires_at <= now:
            raise TokenInvalid("not a valid initial access token")
        count = stores.registrations.count_since(initial.token_id, now - _HOUR)
        if count >= self.hourly_limit:
            raise TooManyRegistrations("too many clients were registered in the last hour")
        return initial

    def _information(self, client: Client, access: str) -> dict[str, object]:
        """Return the client information response. RFC 7592 §3."""
        return {
            "client_id": client.client_id,
            "client_id_issued_at": int(client.created_at.timestamp()),
            "registration_access_token": access,
            "registration_client_uri": f"{self.uri}/{client.client_id}",
            **_metadata(client),
        }


def _metadata(client: Client) -> dict[str, object]:
    """Return the metadata a client is registered with. RFC 7591 §3.2.1."""
    described = describe(client, Setter.CLIENT)
    keeps = "offline_access" in client.scope
    return {
        **{name: value for name, value in described.items() if value is not None},
        "grant_types": ["authorization_code", *(["refresh_token"] if keeps else [])],
        "response_types": ["code"],
        "subject_type": "pairwise",
        # Each ID token has it.
        "require_auth_time": True,
    }


def _managed(stores: Stores, token: str, client_id: str) -> Client:
    """Return the token's client; every failure looks alike."""
    client = registry.find(stores, client_id)
    registration = None if client is None else stores.registrations.find(client.client_id)
    expected = b"" if registration is None else registration.digest
    is_right = hmac.compare_digest(expected, digest_of(token))
    if client is None or not is_right:
        raise TokenInvalid("not the registration access token of this client")
    return client


def _require_own(client: Client, document: dict[str, Any]) -> None:
    """Check what an update says of the registration itself. RFC 7592 §2.2."""
    for name in _OURS:
        if name in document:
            raise ClientRefused(f"{name} cannot be changed: leave it out")
    if document.get("client_id") != client.client_id:
        raise ClientRefused("client_id must name this client")
    secret = document.get("client_secret")
    if secret is None:
        return
    presented = digest_of(secret) if isinstance(secret, str) else b""
    if not hmac.compare_digest(client.secret_digest, presented):
        raise ClientRefused("client_secret cannot be changed: leave it out")
