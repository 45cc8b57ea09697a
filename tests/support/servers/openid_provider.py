"""A very small OpenID provider for tests of relying parties: one person, no palm."""

import base64
import hashlib
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

ISSUER = "https://id.example.test/oauth2"
ACCESS_TOKEN = "an-access-token"


@dataclass
class SmallProvider:
    """Signs an ID token for every caller, with one fault if a test says so.

    Attributes:
        claims: laid over the honest claims; None removes one.
        header: laid over the honest header.
        key: signs; published unless ``published`` says otherwise.
        userinfo: what the userinfo endpoint answers.
        forms: what was posted to the token endpoint.
    """

    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    issuer: str = ISSUER
    userinfo: dict[str, Any] = field(default_factory=lambda: {"sub": "person-1"})
    token_error: dict[str, Any] | None = None
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, auto_kid=True))
    published: RSAKey | None = None
    forms: list[dict[str, str]] = field(default_factory=list)
    nonce: str = ""

    def transport(self) -> httpx2.MockTransport:
        """Return how to reach it."""
        return httpx2.MockTransport(self._answer)

    def authorize(self, url: str) -> dict[str, str]:
        """Sign the person in; return the callback's query."""
        query = {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}
        self.nonce = query["nonce"]
        return {"code": "a-code", "state": query["state"], "iss": ISSUER}

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        match request.url.path.removeprefix("/oauth2"):
            case "/.well-known/openid-configuration":
                return httpx2.Response(200, json=self._metadata())
            case "/jwks":
                keys = KeySet([self.published or self.key])
                return httpx2.Response(200, json=keys.as_dict(private=False))
            case "/token":
                return self._tokens(request)
            case "/userinfo":
                assert request.headers["authorization"] == f"Bearer {ACCESS_TOKEN}"
                return httpx2.Response(200, json=self.userinfo)
            case _:
                return httpx2.Response(404)

    def _metadata(self) -> dict[str, str]:
        ends = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "userinfo_endpoint": "userinfo",
            "jwks_uri": "jwks",
        }
        return {"issuer": self.issuer} | {name: f"{ISSUER}/{end}" for name, end in ends.items()}

    def _tokens(self, request: httpx2.Request) -> httpx2.Response:
        form = {name: value[0] for name, value in parse_qs(request.content.decode()).items()}
        self.forms.append(form)
        if self.token_error is not None:
            return httpx2.Response(400, json=self.token_error)
        digest = hashlib.sha256(ACCESS_TOKEN.encode()).digest()[:16]
        at_hash = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        token = self.signed(nonce=self.nonce, at_hash=at_hash)
        return httpx2.Response(200, json={"access_token": ACCESS_TOKEN, "id_token": token})

    def signed(self, **more: Any) -> str:
        """Return a token about the person."""
        now = int(time.time())  # noqa: TID251 -- the relying party reads the wall clock too
        honest = {"iss": ISSUER, "sub": "person-1", "aud": ["shop"], "iat": now}
        laid = honest | {"exp": now + 3600} | more | self.claims
        claims = {k: v for k, v in laid.items() if v is not None}
        header = {"alg": "RS256", "kid": self.key.kid} | self.header
        return jwt.encode(header, claims, self.key, algorithms=[header["alg"]])
