"""A relying party that can send wrong requests: any parameter can be changed or omitted."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import httpx2
from joserfc import jwt
from joserfc.jwk import KeySet


@dataclass(frozen=True, slots=True)
class Registration:
    """The output of ``thenar client add``."""

    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str


class RelyingParty:
    """An application that sends people to log in."""

    def __init__(
        self,
        issuer: str,
        registration: Registration,
        *,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.issuer = issuer
        self.registration = registration
        self.http = httpx2.Client(transport=transport, timeout=30)

    @cached_property
    def discovery(self) -> dict[str, Any]:
        """The provider's metadata."""
        address = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
        found: dict[str, Any] = self.http.get(address).raise_for_status().json()
        return found

    @cached_property
    def keys(self) -> KeySet:
        """The provider's public keys."""
        answer = self.http.get(self.discovery["jwks_uri"]).raise_for_status()
        return KeySet.import_key_set(answer.json())

    def authorization_url(self, **changes: str | None) -> str:
        """Return an authorization request; parameters of value None are omitted."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.registration.client_id,
            "redirect_uri": self.registration.redirect_uri,
            "scope": "openid",
            "state": secrets.token_urlsafe(12),
        }
        query = urlencode(_without_none(parameters | changes))
        return f"{self.discovery['authorization_endpoint']}?{query}"

    def exchange(self, code: str, /, **changes: str | None) -> httpx2.Response:
        """Exchange a code; fields of value None are omitted."""
        return self.request_tokens(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self.registration.redirect_uri,
            }
            | changes
        )

    def refresh(self, token: str, **changes: str | None) -> httpx2.Response:
        """Use a refresh token; fields of value None are omitted."""
        return self.request_tokens(
            {"grant_type": "refresh_token", "refresh_token": token} | changes
        )

    def request_tokens(
        self, fields: Mapping[str, str | None], *, endpoint: str | None = None
    ) -> httpx2.Response:
        """Post a form with the client's credentials to the token endpoint."""
        credentials: dict[str, str | None] = {
            "client_id": self.registration.client_id,
            "client_secret": self.registration.client_secret,
        }
        return self.http.post(
            endpoint or self.discovery["token_endpoint"],
            data=_without_none(credentials | dict(fields)),
        )

    def userinfo(self, access_token: str, *, endpoint: str | None = None) -> httpx2.Response:
        """Request userinfo."""
        return self.http.get(
            endpoint or self.discovery["userinfo_endpoint"],
            headers={"Authorization": f"Bearer {access_token}"},
        )

    def read_token(self, token: str) -> jwt.Token:
        """Verify a token's signature and return it."""
        return jwt.decode(token, self.keys, algorithms=["RS256", "ES256"])


def _without_none(parameters: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if value is not None}
