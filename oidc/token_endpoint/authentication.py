"""Client authentication, the same at every endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from authlib.oauth2.rfc6749 import ClientMixin, UnauthorizedClientError

from oidc.clients import assertions, registry, secrets
from oidc.clients.rate_limits import ClientRateLimits
from oidc.clients.registry import meets_profile
from oidc.errors import AssertionRefused, TooManyCalls
from oidc.storage.database import Database
from oidc.token_endpoint.credentials import (
    ClientIdOnly,
    ClientNotAuthenticated,
    ClientRateLimited,
    ClientSecret,
    Credentials,
    SignedAssertion,
    credentials_of,
)
from oidc.types import Authentication, Client, Clock, Profile


class ClientAdapter(ClientMixin):  # type: ignore[misc]
    """An authenticated client as Authlib sees it."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def check_grant_type(self, grant_type: str) -> bool:
        """Allow both; the scope decides about refresh tokens."""
        return True


@dataclass(frozen=True, slots=True)
class ClientAuthenticator:
    """Authenticates clients by exactly their registered method.

    ``audiences`` are accepted in assertions; under FAPI 2.0 only ``issuer`` (§5.3.2.1).
    """

    database: Database
    clock: Clock
    audiences: frozenset[str]
    issuer: str
    profile: Profile
    rate_limits: ClientRateLimits

    def authenticate(
        self,
        form: Mapping[str, str],
        authorization: str | None,
        address: str | None,
    ) -> Client:
        """Return the authenticated client.

        Raises ``ClientNotAuthenticated``, ``ClientRateLimited``; ``InvalidRequestError`` for
        two methods.
        """
        presented = credentials_of(form, authorization)
        try:
            return self._rate_limited(presented, address)
        except TooManyCalls as fault:
            raise ClientRateLimited(fault) from fault

    def _rate_limited(self, presented: Credentials, address: str | None) -> Client:
        self.rate_limits.require_attempt(presented.client_id, address)
        client = self._authenticated(presented)
        if client is None:
            self.rate_limits.count_failure(presented.client_id, address)
            raise ClientNotAuthenticated
        self.rate_limits.count_request(client, address)
        if not meets_profile(client, self.profile):
            raise UnauthorizedClientError
        return client

    def _authenticated(self, presented: Credentials) -> Client | None:
        match presented:
            case ClientSecret(client_id, secret):
                with self.database.read() as stores:
                    return secrets.authenticate(stores, client_id, secret, self.clock())
            case SignedAssertion():
                return self._signed(presented)
            case ClientIdOnly(client_id):
                return self._registered(client_id, Authentication.NONE)
            case _:
                assert_never(presented)

    def _signed(self, presented: SignedAssertion) -> Client | None:
        client = self._registered(presented.client_id, Authentication.PRIVATE_KEY_JWT)
        if client is None:
            return None
        try:
            with self.database.write() as stores:
                assertions.accept(
                    stores, client, presented.token, self._audiences(client), self.clock()
                )
        except AssertionRefused:
            return None
        return client

    def _audiences(self, client: Client) -> frozenset[str]:
        return frozenset({self.issuer}) if client.profile is Profile.FAPI2 else self.audiences

    def _registered(self, client_id: str, authentication: Authentication) -> Client | None:
        with self.database.read() as stores:
            client = registry.find(stores, client_id)
        is_right = client is not None and client.authentication is authentication
        return client if is_right else None
