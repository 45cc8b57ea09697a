"""PKCE at the token endpoint; ``authorization.checks`` accepts the challenge. RFC 7636."""

from __future__ import annotations

from authlib.oauth2.rfc7636 import CodeChallenge


class S256Only(CodeChallenge):  # type: ignore[misc]
    """PKCE with S256 only; Authlib would accept plain. RFC 7636 §4.6.

    A verifier without a challenge is refused (RFC 9700 §2.1.1).
    """

    DEFAULT_CODE_CHALLENGE_METHOD = "S256"
    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)
    CODE_CHALLENGE_METHODS = {  # noqa: RUF012
        "S256": CodeChallenge.CODE_CHALLENGE_METHODS["S256"]
    }
