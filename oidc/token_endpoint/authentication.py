"""Client authentication, the same at every endpoint: one method, once. RFC 6749 §2.3."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never
from urllib.parse import unquote_plus

from authlib.oauth2.rfc6749 import (
    InvalidClientError,
    InvalidRequestError,
    OAuth2Error,
    UnauthorizedClientError,
)

from oidc.client import Authentication, Client, Profile
from oidc.clients import assertions, registry
from oidc.clients.rate_limits import ClientRateLimits
from oidc.clients.registry import meets_profile
from oidc.errors import AssertionRefused, TooManyCalls
from oidc.storage.database import Stores
from oidc.token_endpoint.requests import RawRequest
from oidc.types import Clock

_REALM: Final = "token endpoint"
_PROOFS: Final = ("client_secret", "client_assertion", "client_assertion_type")


class ClientNotAuthenticated(InvalidClientError):  # type: ignore[misc]
    """Unknown client or wrong credentials, alike. Always 401."""

    status_code = 401
    description = "client authentication failed"

    def get_headers(self) -> list[tuple[str, str]]:
        """Name scheme and realm: RFC 7617 §2."""
        headers = [pair for pair in super().get_headers() if pair[0] != "WWW-Authenticate"]
        return [*headers, ("WWW-Authenticate", f'Basic realm="{_REALM}", charset="UTF-8"')]


class ClientRateLimited(OAuth2Error):  # type: ignore[misc]
    """Too many requests or failures. RFC 6585 §4; RFC 6749 has no code for it."""

    error = "temporarily_unavailable"
    status_code = 429

    def __init__(self, fault: TooManyCalls) -> None:
        super().__init__(description=str(fault))
        self._retry_after_s = fault.retry_after_s

    def get_headers(self) -> list[tuple[str, str]]:
        """Say when to retry."""
        return [*super().get_headers(), ("Retry-After", str(self._retry_after_s))]


@dataclass(frozen=True, slots=True)
class ClientSecret:
    """A client secret, from header or form."""

    client_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignedAssertion:
    """A client assertion."""

    client_id: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ClientIdOnly:
    """Only a client ID."""

    client_id: str


Credentials = ClientSecret | SignedAssertion | ClientIdOnly
"""Matched exhaustively."""


@dataclass(frozen=True, slots=True)
class ClientAuthenticator:
    """Authenticates clients by exactly their registered method.

    ``audiences`` are accepted in assertions; under FAPI 2.0 only ``issuer`` (§5.3.2.1).
    """

    clock: Clock
    audiences: frozenset[str]
    issuer: str
    profile: Profile
    rate_limits: ClientRateLimits

    def authenticate(self, stores: Stores, raw: RawRequest) -> Client:
        """Return the authenticated client.

        Raises ``ClientNotAuthenticated``, ``ClientRateLimited``; ``InvalidRequestError`` for
        two methods.
        """
        presented = credentials_of(raw.fields, raw.authorization)
        try:
            self.rate_limits.require_attempt(presented.client_id, raw.address)
            client = self._authenticated(stores, presented)
            if client is None:
                self.rate_limits.count_failure(presented.client_id, raw.address)
                raise ClientNotAuthenticated
            self.rate_limits.count_request(client, raw.address)
        except TooManyCalls as fault:
            raise ClientRateLimited(fault) from fault
        if not meets_profile(client, self.profile):
            raise UnauthorizedClientError
        return client

    def _authenticated(self, stores: Stores, presented: Credentials) -> Client | None:
        match presented:
            case ClientSecret(client_id, secret):
                return registry.authenticate(stores, client_id, secret, self.clock())
            case SignedAssertion():
                return self._signed(stores, presented)
            case ClientIdOnly(client_id):
                return _registered(stores, client_id, Authentication.NONE)
            case _:
                assert_never(presented)

    def _signed(self, stores: Stores, presented: SignedAssertion) -> Client | None:
        client = _registered(stores, presented.client_id, Authentication.PRIVATE_KEY_JWT)
        if client is None:
            return None
        audiences = self.audiences
        if client.profile is Profile.FAPI2:
            audiences = frozenset({self.issuer})
        try:
            assertions.accept(stores, client, presented.token, audiences, self.clock())
        except AssertionRefused:
            return None
        return client


def _registered(
    stores: Stores, client_id: str, authentication: Authentication
) -> Client | None:
    client = registry.find(stores, client_id)
    return client if client is not None and client.authentication is authentication else None


def claimed_client(raw: RawRequest) -> str | None:
    """Return the client ID that a request names, unverified, or None."""
    try:
        return credentials_of(raw.fields, raw.authorization).client_id
    except OAuth2Error:
        return None


def credentials_of(form: Mapping[str, str], authorization: str | None) -> Credentials:
    """Return the credentials of a request.

    Raises ``ClientNotAuthenticated``; ``InvalidRequestError`` for two methods.
    """
    presented: Credentials
    if authorization is not None:
        if any(name in form for name in _PROOFS):
            raise InvalidRequestError("the client authenticated in two ways")
        presented = _from_header(authorization)
    elif "client_assertion" in form or "client_assertion_type" in form:
        presented = _from_assertion(form)
    else:
        return _from_form(form)
    if form.get("client_id", presented.client_id) != presented.client_id:
        raise InvalidRequestError("the request names two clients")
    return presented


def _from_form(form: Mapping[str, str]) -> ClientSecret | ClientIdOnly:
    if "client_id" not in form:
        raise ClientNotAuthenticated
    if "client_secret" in form:
        return ClientSecret(form["client_id"], form["client_secret"])
    return ClientIdOnly(form["client_id"])


def _from_assertion(form: Mapping[str, str]) -> SignedAssertion:
    if "client_secret" in form:
        raise InvalidRequestError("the client authenticated in two ways")
    if form.get("client_assertion_type") != assertions.TYPE:
        raise ClientNotAuthenticated
    token = form.get("client_assertion", "")
    try:
        return SignedAssertion(assertions.subject_of(token), token)
    except AssertionRefused as fault:
        raise ClientNotAuthenticated from fault


def _from_header(authorization: str) -> ClientSecret:
    scheme, _, encoded = authorization.strip().partition(" ")
    if scheme.lower() != "basic":
        raise ClientNotAuthenticated
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError) as fault:
        raise ClientNotAuthenticated from fault
    client_id, colon, secret = decoded.partition(":")
    if not colon:
        raise ClientNotAuthenticated
    return ClientSecret(unquote_plus(client_id), unquote_plus(secret))
