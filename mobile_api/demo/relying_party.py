"""OpenID Connect for a relying party, with Authlib's client: what an app would copy.

Authlib fetches discovery and keys, makes ``state``, ``nonce`` and PKCE, exchanges the code and
verifies the ID token. Added here: the issuer of discovery and callback, the audience, and who
was requested.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpx2
from authlib.integrations.starlette_client import OAuth, OAuthError
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

if TYPE_CHECKING:
    from collections.abc import Mapping

LEEWAY_S: Final = 60
"""Allowed clock skew."""

LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"

REFUSED: Final = (OAuthError, JoseError, ValueError, httpx2.HTTPError)
"""The sign-in failed: an error of the provider, or a wrong callback or token."""


@dataclass(frozen=True, slots=True)
class Registration:
    """Our registration at the provider."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login that one browser started; only ``url`` is sent.

    Attributes:
        url: of the authorization request.
        state: against cross-site request forgery. RFC 6749 §10.12.
        nonce: binds the ID token to this request. OpenID Connect Core §3.1.2.1.
        code_verifier: RFC 7636 §4.1.
        subject: who must sign in; None: anybody.
    """

    url: str = field(repr=False)
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)
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

    def __init__(
        self, registration: Registration, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._registration = registration
        self.redirect_uri = registration.redirect_uri
        self._client = OAuth().register(
            "thenar",
            client_id=registration.client_id,
            client_secret=registration.client_secret,
            server_metadata_url=(
                f"{registration.issuer.rstrip('/')}/.well-known/openid-configuration"
            ),
            client_kwargs={
                "scope": "openid",
                "code_challenge_method": "S256",
                "transport": transport,
            },
        )

    async def begin(self, *, subject: str | None = None) -> PendingLogin:
        """Return the pending login; redirect the browser to its ``url``.

        ``subject`` is the ``sub`` of a linked user to verify again (specification §4.6).
        Raises one of ``REFUSED``.
        """
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self._registration.issuer:
            raise _refusal("discovery names another issuer (OpenID Connect Discovery §4.3)")
        wanted = {} if subject is None else {"user_id": subject}
        began = await self._client.create_authorization_url(self.redirect_uri, **wanted)
        return PendingLogin(**began, subject=subject)

    async def finish(self, pending: PendingLogin, callback: Mapping[str, str]) -> SignedIn:
        """Check a callback and return verified claims. Raises one of ``REFUSED``."""
        self._require_our_callback(pending, callback)
        tokens = await self._client.fetch_access_token(
            self.redirect_uri,
            code=callback["code"],
            code_verifier=pending.code_verifier,
        )
        claims = await self._client.parse_id_token(
            tokens, pending.nonce, self._claims_options(), leeway=LEEWAY_S
        )
        userinfo = await self._client.userinfo(token=tokens)
        if userinfo.get("sub") != claims["sub"]:
            raise _refusal("userinfo is about another subject (OpenID Connect Core §5.3.2)")
        if pending.subject not in (None, claims["sub"]):
            raise _refusal("a different person signed in than requested")
        header = jws.extract_compact(tokens["id_token"].encode()).headers()
        return SignedIn(header, claims, userinfo, pending.subject is not None)

    async def ended(self, logout_token: str) -> str:
        """Return whose sessions a logout token ends: a ``sub``.

        Back-Channel Logout 1.0 §2.6. Raises one of ``REFUSED``.
        """
        await self._client.load_server_metadata()
        keys = KeySet.import_key_set(await self._client.fetch_jwk_set())
        token = jwt.decode(logout_token, keys, algorithms=["RS256"])
        jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self._registration.issuer},
            aud={"essential": True, "value": self._registration.client_id},
            iat={"essential": True},
            exp={"essential": True},
        ).validate(token.claims)
        if LOGOUT_EVENT not in token.claims.get("events", {}) or "nonce" in token.claims:
            raise _refusal("this is no logout token")
        return str(token.claims["sub"])

    def _claims_options(self) -> dict[str, dict[str, object]]:
        """Return what Authlib would otherwise take from the provider, or not check."""
        registration = self._registration
        expected = {"iss": registration.issuer, "aud": registration.client_id}
        return {name: {"essential": True, "value": value} for name, value in expected.items()}

    def _require_our_callback(self, pending: PendingLogin, callback: Mapping[str, str]) -> None:
        """Refuse a callback for another request or from another provider."""
        if not hmac.compare_digest(callback.get("state", "").encode(), pending.state.encode()):
            raise _refusal("the callback answers another request")
        if callback.get("iss", self._registration.issuer) != self._registration.issuer:
            raise _refusal("the callback names another issuer (RFC 9207 §2.4)")
        if "error" in callback:
            raise OAuthError(callback["error"], callback.get("error_description"))
        if "code" not in callback:
            raise _refusal("the callback carries no code")


def _refusal(reason: str) -> OAuthError:
    return OAuthError("login_refused", reason)
