"""Authlib behind FastAPI without storage, for ``thenar bench oidc``: what Python alone costs.

Codes and tokens live in dictionaries. One client with its secret in the form, PKCE, RS256 ID
tokens, opaque access tokens, rotated refresh tokens; no threads.

Run as ``python -m benchmarks.oidc.peers.bare_authlib PORT CLIENT SECRET REDIRECT CHALLENGE``.
"""

from __future__ import annotations

import secrets
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from authlib.oauth2.rfc6749 import (
    AuthorizationServer,
    ClientMixin,
    InvalidClientError,
    OAuth2Payload,
    OAuth2Request,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from fastapi import FastAPI, Request
from joserfc.jwk import RSAKey
from starlette.responses import JSONResponse

SCOPE = "openid offline_access"


@dataclass(slots=True)
class StoredGrant:
    """A stored code or token."""

    subject: str
    redirect_uri: str
    code_challenge: str
    code_challenge_method: str = "S256"
    auth_time: int = field(default_factory=lambda: int(time.monotonic()))

    def get_redirect_uri(self) -> str:
        """Return the redirect URI."""
        return self.redirect_uri

    def get_scope(self) -> str:
        """Return the scope."""
        return SCOPE

    def get_nonce(self) -> str:
        """Return the nonce."""
        return "n-0S6_WzA2Mj"

    def get_auth_time(self) -> int:
        """Return the authentication time."""
        return self.auth_time

    def get_acr(self) -> None:
        """Return no acr."""

    def get_amr(self) -> None:
        """Return no amr."""

    def check_client(self, _client: object) -> bool:
        """Accept the only client."""
        return True


CODES: dict[str, StoredGrant] = {}
REFRESH: dict[str, StoredGrant] = {}
ACCESS: dict[str, StoredGrant] = {}


class OnlyClient(ClientMixin):  # type: ignore[misc]
    """The only client."""

    def __init__(self, client_id: str, secret: str) -> None:
        self.client_id, self.secret = client_id, secret
        self.client_metadata = {"id_token_signed_response_alg": "RS256"}

    def get_client_id(self) -> str:
        """Return its id."""
        return self.client_id

    def get_allowed_scope(self, scope: str) -> str:
        """Allow every scope."""
        return scope

    def check_client_secret(self, secret: str) -> bool:
        """Compare in constant time."""
        return secrets.compare_digest(self.secret, secret)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """Allow client_secret_post."""
        return method == "client_secret_post"

    def check_grant_type(self, _grant_type: str) -> bool:
        """Allow every grant type."""
        return True


class Code(AuthorizationCodeGrant):  # type: ignore[misc]
    """Authorization code grant."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_post",)

    def query_authorization_code(self, code: str, _client: object) -> StoredGrant | None:
        """Return the code."""
        return CODES.get(code)

    def delete_authorization_code(self, _stored: StoredGrant) -> None:
        """Delete the code."""
        CODES.pop(self.request.form["code"], None)

    def authenticate_user(self, stored: StoredGrant) -> StoredGrant:
        """Return the code's user."""
        return stored


class Refresh(RefreshTokenGrant):  # type: ignore[misc]
    """Refresh token grant with rotation."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_post",)
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, token: str) -> StoredGrant | None:
        """Return the token."""
        return REFRESH.get(token)

    def authenticate_user(self, stored: StoredGrant) -> StoredGrant:
        """Return the token's user."""
        return stored

    def revoke_old_credential(self, _stored: StoredGrant) -> None:
        """Delete the token."""
        REFRESH.pop(self.request.form["refresh_token"], None)


class IdTokens(OpenIDCode):  # type: ignore[misc]
    """Adds ID tokens."""

    def __init__(self, issuer: str) -> None:
        super().__init__()
        self.issuer, self.key = issuer, RSAKey.generate_key(2048, {"kid": "bench"})

    def get_jwt_config(self, _grant: object, _client: object) -> dict[str, Any]:
        """Return the configuration of older Authlib versions."""
        return {"key": self.key, "alg": "RS256", "iss": self.issuer, "exp": 3600}

    def resolve_client_private_key(self, _client: object) -> RSAKey:
        """Return the signing key."""
        return self.key

    def get_client_algorithm(self, _client: object) -> str:
        """Return the signing algorithm."""
        return "RS256"

    def get_client_claims(self, client: OnlyClient) -> dict[str, object]:
        """Return the common claims."""
        now = int(time.time())  # noqa: TID251 - a provider reads the clock
        return {"iss": self.issuer, "aud": [client.client_id], "iat": now, "exp": now + 3600}

    def exists_nonce(self, _nonce: str, _request: object) -> bool:
        """Accept every nonce."""
        return False

    def generate_user_info(self, user: StoredGrant, _scope: str) -> dict[str, str]:
        """Return the subject."""
        return {"sub": user.subject}


class Payload(OAuth2Payload):  # type: ignore[misc]
    """A form."""

    def __init__(self, fields: dict[str, str]) -> None:
        self._fields = fields

    @property
    def data(self) -> dict[str, str]:
        """The fields."""
        return self._fields


class FormRequest(OAuth2Request):  # type: ignore[misc]
    """A request with its parsed form."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__("POST", "https://bench.invalid/token")
        self.payload = Payload(fields)
        self.fields = fields

    @property
    def form(self) -> dict[str, str]:
        """The fields."""
        return self.fields


class Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server with dictionaries."""

    def __init__(self, client: OnlyClient, issuer: str) -> None:
        super().__init__(scopes_supported=SCOPE.split())
        self.client = client
        self.register_token_generator(
            "default",
            BearerTokenGenerator(
                lambda **_: secrets.token_urlsafe(32), lambda **_: secrets.token_urlsafe(32)
            ),
        )
        id_tokens = IdTokens(issuer)
        self.register_grant(Code, [CodeChallenge(required=True), id_tokens])
        self.register_grant(Refresh, [id_tokens])

    def create_oauth2_request(self, request: FormRequest) -> FormRequest:
        """Return the request unchanged."""
        return request

    def authenticate_client(
        self, request: FormRequest, _methods: object, _endpoint: str = "token"
    ) -> OnlyClient:
        """Authenticate the only client."""
        is_it = request.form.get("client_id") == self.client.client_id
        if not is_it or not self.client.check_client_secret(request.form["client_secret"]):
            raise InvalidClientError
        return self.client

    def save_token(self, token: dict[str, Any], request: FormRequest) -> None:
        """Store the tokens."""
        ACCESS[token["access_token"]] = request.user
        if "refresh_token" in token:
            REFRESH[token["refresh_token"]] = request.user

    def send_signal(self, *_args: object, **_kwargs: object) -> None:
        """Ignore signals."""

    def handle_response(self, status: int, body: object, headers: object) -> JSONResponse:
        """Return the response."""
        return JSONResponse(body, status, dict(headers))  # type: ignore[call-overload]


def build(port: int, client: OnlyClient, redirect_uri: str, challenge: str) -> FastAPI:
    """Return the provider."""
    server = Server(client, f"http://127.0.0.1:{port}")
    app = FastAPI(openapi_url=None)

    @app.post("/token")
    async def token(request: Request) -> JSONResponse:
        fields = dict(parse_qsl((await request.body()).decode("ascii")))
        answer: JSONResponse = server.create_token_response(FormRequest(fields))
        return answer

    @app.get("/userinfo")
    async def userinfo(request: Request) -> JSONResponse:
        shown = request.headers["authorization"].removeprefix("Bearer ")
        stored = ACCESS.get(shown)
        return JSONResponse({"sub": stored.subject} if stored else {}, 200 if stored else 401)

    @app.post("/bench/codes")
    async def codes(count: int) -> list[str]:
        made = [secrets.token_urlsafe(32) for _ in range(count)]
        CODES.update(
            {code: StoredGrant(f"person-{code[:8]}", redirect_uri, challenge) for code in made}
        )
        return made

    return app


def main(arguments: list[str]) -> None:
    """Serve until stopped."""
    port, client_id, secret, redirect_uri, challenge = arguments
    app = build(int(port), OnlyClient(client_id, secret), redirect_uri, challenge)
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(sys.argv[1:])
