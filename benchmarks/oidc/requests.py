"""The three timed requests as bytes, and the sources that produce them."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from benchmarks.oidc.load import Source

CODE_VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
"""Example of RFC 7636, appendix B."""

CODE_CHALLENGE: Final = (
    base64.urlsafe_b64encode(hashlib.sha256(CODE_VERIFIER.encode()).digest())
    .rstrip(b"=")
    .decode()
)

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""Nothing listens there."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Endpoints of a provider and the client that calls them."""

    port: int
    token: str
    userinfo: str
    client_id: str
    client_secret: str = field(repr=False)

    def exchange(self, code: str) -> bytes:
        """Return a code exchange."""
        fields = {"grant_type": "authorization_code", "code": code}
        return self._form(
            {**fields, "redirect_uri": REDIRECT_URI, "code_verifier": CODE_VERIFIER}
        )

    def refresh(self, token: str) -> bytes:
        """Return a refresh request."""
        return self._form({"grant_type": "refresh_token", "refresh_token": token})

    def get_userinfo(self, access_token: str) -> bytes:
        """Return a userinfo request."""
        head = f"GET {self.userinfo} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        return f"{head}Authorization: Bearer {access_token}\r\n\r\n".encode("ascii")

    def _form(self, fields: dict[str, str]) -> bytes:
        proof = {"client_id": self.client_id, "client_secret": self.client_secret}
        body = urlencode(fields | proof)
        head = f"POST {self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")


@dataclass(slots=True)
class TokenResponses:
    """Bodies of token responses."""

    bodies: list[bytes] = field(default_factory=list, repr=False)

    def tokens(self, name: str) -> list[str]:
        """Return one field of each."""
        return [str(json.loads(body)[name]) for body in self.bodies]


def code_exchanges(
    endpoints: Endpoints, codes: Sequence[str], connections: int, answers: TokenResponses
) -> list[Source]:
    """Return sources that share the codes: each is sent once."""
    shared = iter([endpoints.exchange(code) for code in codes])

    def source(body: bytes | None) -> bytes | None:
        if body is not None:
            answers.bodies.append(body)
        return next(shared, None)

    return [source] * connections


def refreshes(
    endpoints: Endpoints, tokens: Sequence[str], count: int, answers: TokenResponses
) -> list[Source]:
    """Return sources that follow each refresh token; ``count`` requests in all."""
    left = iter(range(count))

    def follow(first: str) -> Source:
        def source(body: bytes | None) -> bytes | None:
            if body is not None:
                answers.bodies.append(body)
            if next(left, None) is None:
                return None
            token = first if body is None else json.loads(body)["refresh_token"]
            return endpoints.refresh(token)

        return source

    return [follow(token) for token in tokens]


def userinfo_requests(
    endpoints: Endpoints, tokens: Sequence[str], count: int, connections: int
) -> list[Source]:
    """Return sources that cycle through access tokens; ``count`` requests in all."""
    made = [endpoints.get_userinfo(token) for token in tokens]
    shared: Iterator[bytes] = (made[number % len(made)] for number in range(count))
    return [lambda _body: next(shared, None)] * connections
