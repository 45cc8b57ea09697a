"""Authlib's client on httpx2: PKCE, state, claims of the ID token, userinfo, refresh."""

import secrets
from collections.abc import Mapping
from typing import Any

from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.relying_parties.conversation import Refused, Settings, play, query_of


class AuthlibClient:
    """What an application does with Authlib."""

    def __init__(self, settings: Settings) -> None:
        self.client = OAuth2Client(
            settings.client_id,
            settings.client_secret,
            token_endpoint_auth_method="client_secret_basic",
            scope="openid offline_access",
            redirect_uri=settings.redirect_uri,
            code_challenge_method="S256",
        )
        discovery = f"{settings.issuer}/.well-known/openid-configuration"
        self.provider = self.get(discovery)
        self.keys = KeySet.import_key_set(self.get(self.provider["jwks_uri"]))

    def get(self, address: str) -> Any:
        """Return what is at an address open to all."""
        answer = self.client.request("GET", address, withhold_token=True)
        return answer.raise_for_status().json()

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return an authorization request."""
        self.verifier, self.nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        url, self.state = self.client.create_authorization_url(
            self.provider["authorization_endpoint"],
            code_verifier=self.verifier,
            nonce=self.nonce,
            **parameters,
        )
        return str(url)

    def finish(self, callback: str) -> dict[str, Any]:
        """Exchange the code, ask who it is, refresh."""
        answer = query_of(callback)
        if "error" in answer:  # Authlib leaves this to the application, or to its frameworks
            raise Refused(answer["error"], answer.get("error_description"))
        endpoint = self.provider["token_endpoint"]
        tokens = self.client.fetch_token(
            endpoint,
            authorization_response=callback,
            state=self.state,
            code_verifier=self.verifier,
        )
        learned = self.describe(tokens, nonce=self.nonce)
        refreshed = self.client.refresh_token(endpoint, tokens["refresh_token"])
        return learned | {"refreshed": self.describe(refreshed, nonce=None)}

    def describe(self, tokens: Mapping[str, Any], *, nonce: str | None) -> dict[str, Any]:
        """Check the ID token as OpenID Connect Core §3.1.3.7 says, and ask for userinfo."""
        token = jwt.decode(tokens["id_token"], self.keys, algorithms=["RS256"])
        claims = CodeIDToken(
            token.claims,
            token.header,
            {"iss": {"value": self.provider["issuer"]}},
            {
                "nonce": nonce,
                "client_id": self.client.client_id,
                "access_token": tokens["access_token"],
            },
        )
        claims.validate()
        userinfo = self.client.get(self.provider["userinfo_endpoint"])
        return {
            "subject": claims["sub"],
            "id_token": tokens["id_token"],
            "userinfo": userinfo.raise_for_status().json(),
        }


if __name__ == "__main__":
    play(AuthlibClient)
