"""OpenID Connect for a relying party: start a login, check the callback, verify tokens.

Written from the standards alone. Refuses a callback whose ``state``, ``iss``, ``nonce``,
signature, audience, expiry or ``at_hash`` is wrong.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2

ALGORITHMS: Final = ["RS256"]
"""The only accepted signature algorithm. RFC 8725 §3.1."""

LEEWAY_S: Final = 60
"""Allowed clock skew."""


class LoginRefused(Exception):
    """The callback or the tokens do not answer our request."""


class LoginFailed(LoginRefused):
    """The provider returned an error. RFC 6749 §4.1.2.1."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}" if description else error)
        self.error = error


@dataclass(frozen=True, slots=True)
class Registration:
    """Our registration at the provider."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login that one browser started; never sent.

    Attributes:
        state: against cross-site request forgery. RFC 6749 §10.12.
        nonce: binds the ID token to this request. OpenID Connect Core §3.1.2.1.
        verifier: PKCE code verifier. RFC 7636 §4.1.
        subject: who must sign in; None: anybody.
    """

    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in user: ID token header, verified claims, userinfo.

    Attributes:
        verified_again: this user was requested.
    """

    header: Mapping[str, Any]
    claims: Mapping[str, Any]
    userinfo: Mapping[str, Any]
    verified_again: bool


class OpenIdConnect:
    """The protocol, from discovery to verified claims."""

    def __init__(self, registration: Registration, http: httpx2.Client) -> None:
        self._registration = registration
        self._http = http

    def begin(self, *, subject: str | None = None) -> tuple[str, PendingLogin]:
        """Return the address to redirect to, and the pending login.

        ``subject`` is the ``sub`` of a linked user to verify again (specification §4.6).
        """
        pending = PendingLogin(
            state=secrets.token_urlsafe(24),
            nonce=secrets.token_urlsafe(24),
            verifier=secrets.token_urlsafe(48),
            subject=subject,
        )
        query = {
            "response_type": "code",
            "client_id": self._registration.client_id,
            "redirect_uri": self._registration.redirect_uri,
            "scope": "openid",
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": _s256(pending.verifier.encode()),
            "code_challenge_method": "S256",
        }
        if subject is not None:
            query["user_id"] = subject
        return f"{self._discover()['authorization_endpoint']}?{urlencode(query)}", pending

    def finish(self, pending: PendingLogin, callback: Mapping[str, str]) -> SignedIn:
        """Check a callback and return verified claims.

        Raises:
            LoginFailed: the provider returned an error.
            LoginRefused: a check failed.
        """
        discovery = self._discover()
        _require_our_callback(pending, callback, discovery["issuer"])
        tokens = self._exchange(discovery["token_endpoint"], callback["code"], pending.verifier)
        token = self._verify(discovery, tokens, pending)
        userinfo = self._userinfo(discovery["userinfo_endpoint"], tokens["access_token"])
        if userinfo.get("sub") != token.claims["sub"]:
            raise LoginRefused("userinfo is about another subject (OpenID Connect Core §5.3.2)")
        return SignedIn(token.header, token.claims, userinfo, pending.subject is not None)

    def _discover(self) -> dict[str, Any]:
        """Return the provider's metadata. OpenID Connect Discovery §4."""
        issuer = self._registration.issuer
        answer = self._http.get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        metadata: dict[str, Any] = answer.raise_for_status().json()
        if metadata.get("issuer") != issuer:
            raise LoginRefused("discovery names another issuer (OpenID Connect Discovery §4.3)")
        return metadata

    def _exchange(self, endpoint: str, code: str, verifier: str) -> dict[str, Any]:
        """Exchange the code for tokens. RFC 6749 §4.1.3, RFC 7636 §4.5."""
        form = {
            "grant_type": "authorization_code",
            "client_id": self._registration.client_id,
            "client_secret": self._registration.client_secret,
            "code": code,
            "redirect_uri": self._registration.redirect_uri,
            "code_verifier": verifier,
        }
        answer = self._http.post(endpoint, data=form)
        body: dict[str, Any] = answer.json()
        if answer.is_error:
            raise LoginFailed(str(body.get("error")), str(body.get("error_description", "")))
        return body

    def _verify(
        self, discovery: Mapping[str, Any], tokens: Mapping[str, Any], pending: PendingLogin
    ) -> jwt.Token:
        """Verify the ID token. OpenID Connect Core §3.1.3.7."""
        keys = KeySet.import_key_set(self._http.get(discovery["jwks_uri"]).json())
        rules = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": discovery["issuer"]},
            aud={"essential": True, "value": self._registration.client_id},
            nonce={"essential": True, "value": pending.nonce},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        )
        try:
            token = jwt.decode(tokens["id_token"], keys, algorithms=ALGORITHMS)
            rules.validate(token.claims)
        except (JoseError, ValueError) as fault:
            raise LoginRefused(f"the ID token is not for us: {fault}") from fault
        _require_token_of(token.claims, tokens["access_token"])
        if pending.subject is not None and token.claims["sub"] != pending.subject:
            raise LoginRefused("a different person signed in than requested")
        return token

    def _userinfo(self, endpoint: str, access_token: str) -> dict[str, Any]:
        """Request the user's claims. OpenID Connect Core §5.3."""
        answer = self._http.get(endpoint, headers={"Authorization": f"Bearer {access_token}"})
        body: dict[str, Any] = answer.raise_for_status().json()
        return body


def _s256(data: bytes) -> str:
    """Return the base64url SHA-256. RFC 7636 §4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _require_our_callback(
    pending: PendingLogin, callback: Mapping[str, str], issuer: str
) -> None:
    """Refuse a callback for another request or from another provider."""
    if not hmac.compare_digest(callback.get("state", "").encode(), pending.state.encode()):
        raise LoginRefused("the callback answers another request")
    if callback.get("iss", issuer) != issuer:
        raise LoginRefused("the callback names another issuer (RFC 9207 §2.4)")
    if "error" in callback:
        raise LoginFailed(callback["error"], callback.get("error_description", ""))
    if "code" not in callback:
        raise LoginRefused("the callback carries no code")


def _require_token_of(claims: Mapping[str, Any], access_token: str) -> None:
    """Refuse an access token of another ID token. OpenID Connect Core §3.1.3.8."""
    digest = hashlib.sha256(access_token.encode()).digest()
    expected = base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()
    if claims.get("at_hash", expected) != expected:
        raise LoginRefused("the access token belongs to another ID token")
