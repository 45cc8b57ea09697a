"""The two grants: Authlib checks the request, then we spend and sign.

Spending is committed before anything is signed: a crash in between costs a login, never a
second token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidScopeError, OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant

from oidc.storage.stores.grants import Code
from oidc.storage.transactions import Stores
from oidc.token_endpoint.authentication import ClientAdapter
from oidc.token_endpoint.dpop_binding import require_bound_key
from oidc.token_endpoint.requests import TokenRequest
from oidc.tokens import codes, refresh
from oidc.tokens.refresh import IssuedRefreshToken, PresentedToken, Rotated
from oidc.types import Authentication, Client, Grant, Lifetimes, Profile

_FAPI_CODE_LIFETIME = timedelta(seconds=60)
"""Upper limit under FAPI 2.0 (§5.3.2.1)."""

AuthlibResponse = tuple[int, dict[str, object], list[tuple[str, str]]]


class PresentedCode:
    """A valid code, as Authlib sees it."""

    code_challenge_method = "S256"

    def __init__(self, code: Code) -> None:
        self.code, self.code_challenge = code, code.code_challenge

    def get_redirect_uri(self) -> str:
        """Return where the code was sent."""
        return self.code.redirect_uri


class CodeGrant(AuthorizationCodeGrant):  # type: ignore[misc]
    """Exchanges a code for tokens. RFC 6749 §4.1.3."""

    revoke_replayed: Callable[[Stores], object] | None = None
    fault: OAuth2Error | None = None

    def validate_token_request(self) -> None:
        """Check client, code, redirect URI, verifier and key."""
        request = self.request
        super().validate_token_request()
        request.dpop_jkt = self.server.dpop_binding.require_key(
            request.client.client, request.proofs
        )
        require_bound_key(request.authorization_code.code.dpop_jkt, request.dpop_jkt)

    def query_authorization_code(
        self, code: str, client: ClientAdapter
    ) -> PresentedCode | None:
        """Return the code if this client may spend it; do not spend it yet."""
        client_id, now = client.client.client_id, self.server.clock()
        with self.server.database.read() as stores:
            found = codes.find(stores, code, client_id)
        if found is None:
            return None
        if found.spent:
            self.revoke_replayed = lambda stores: codes.find_unspent(
                stores, code, client_id, now
            )
            return None
        if found.expires_at <= now or self._is_stale(found, client.client):
            return None
        return PresentedCode(found)

    def _is_stale(self, code: Code, client: Client) -> bool:
        """Apply FAPI 2.0 §5.3.2.1."""
        if client.profile is not Profile.FAPI2:
            return False
        lifetime = timedelta(seconds=self.server.issuer.lifetimes.code_s)
        return bool(code.expires_at - lifetime + _FAPI_CODE_LIFETIME <= self.server.clock())

    def response(
        self, redeemed: tuple[Grant | None, IssuedRefreshToken | None]
    ) -> AuthlibResponse:
        """Sign the tokens of a spent code."""
        grant, refresh_token = redeemed
        if grant is None:
            raise InvalidGrantError("the code is not valid")
        body = self.server.issuer.response(
            self.request.client.client,
            grant,
            grant.scope,
            nonce=grant.nonce,
            refresh_token=refresh_token,
            dpop_jkt=self.request.dpop_jkt,
        )
        return 200, body, self.TOKEN_RESPONSE_HEADER

    def redeem(self, stores: Stores) -> tuple[Grant | None, IssuedRefreshToken | None]:
        """Spend the code; begin a family of refresh tokens."""
        code, now = self.request.authorization_code.code, self.server.clock()
        grant = codes.consume(stores, code, now)
        if grant is None or "offline_access" not in grant.scope:
            return grant, None
        return grant, refresh.begin_family(
            stores, grant, self._lifetimes(), now, dpop_jkt=_refresh_key(self.request)
        )

    def _lifetimes(self) -> Lifetimes:
        """Return the lifetimes; an unrotated refresh token has no idle end."""
        lifetimes: Lifetimes = self.server.issuer.lifetimes
        if _rotates(self.request.client.client):
            return lifetimes
        return replace(lifetimes, refresh_token_idle_s=lifetimes.refresh_token_s)


def _refresh_key(request: TokenRequest) -> str | None:
    """Return what binds a public client's refresh token. RFC 9449 §5."""
    is_public = request.client.client.authentication is Authentication.NONE
    jkt: str | None = request.dpop_jkt
    return jkt if is_public else None


def _rotates(client: Client) -> bool:
    """FAPI 2.0 §5.3.2.1 forbids rotation."""
    return client.profile is not Profile.FAPI2


class RotatingRefreshGrant(RefreshTokenGrant):  # type: ignore[misc]
    """Exchanges a refresh token for new tokens and its successor. RFC 6749 §6."""

    revoke_replayed: Callable[[Stores], object] | None = None
    fault: OAuth2Error | None = None

    def validate_token_request(self) -> None:
        """Authenticate the client, then check token, scope and key."""
        request = self.request
        request.client = self._validate_request_client()
        request.refresh_token = self._presented()
        request.dpop_jkt = self.server.dpop_binding.require_key(
            request.client.client, request.proofs
        )
        require_bound_key(request.refresh_token.stored.dpop_jkt, request.dpop_jkt)

    def response(self, rotated: Rotated | None) -> AuthlibResponse:
        """Sign. No nonce: OpenID Connect Core §12.2."""
        if rotated is None:
            raise InvalidGrantError("the refresh token is not valid")
        body = self.server.issuer.response(
            self.request.client.client,
            rotated.grant,
            rotated.grant.scope if self._requested_scope is None else self._requested_scope,
            nonce=None,
            refresh_token=rotated.successor,
            dpop_jkt=self.request.dpop_jkt,
        )
        return 200, body, self.TOKEN_RESPONSE_HEADER

    def _presented(self) -> PresentedToken:
        server = self.server
        token, client = self.request.form["refresh_token"], self.request.client.client
        now = server.clock()
        with server.database.read() as stores:
            found = refresh.find(stores, token, client.client_id)
            scope = self._scope_of(stores, found)
            is_replayed = found is not None and refresh.is_replayed(stores, found, now)
        if is_replayed:
            self.revoke_replayed = lambda stores: refresh.find_usable(
                stores, token, client.client_id, now
            )
        if found is None or is_replayed or found.stored.expires_at <= now:
            raise InvalidGrantError("the refresh token is not valid")
        requested = self._requested_scope
        if requested is not None and not (requested and set(requested) <= set(scope)):
            raise InvalidScopeError
        return found

    def _scope_of(self, stores: Stores, found: PresentedToken | None) -> Sequence[str]:
        """Return the token's scope if less was requested; ``rotate`` checks the grant."""
        if found is None or self._requested_scope is None:
            return ()
        grant = stores.grants.find(found.stored.grant_id)
        if grant is None:
            raise InvalidGrantError("the refresh token is not valid")
        return grant.scope

    @property
    def _requested_scope(self) -> tuple[str, ...] | None:
        """The requested narrower scope; None: all of it. RFC 6749 §3.3."""
        scope: Any = self.request.form.get("scope")
        return None if scope is None else tuple(dict.fromkeys(scope.split()))

    def redeem(self, stores: Stores) -> Rotated | None:
        """Spend the token for its successor."""
        server, presented = self.server, self.request.refresh_token
        if not _rotates(self.request.client.client):
            return refresh.exchange_unrotated(stores, presented)
        return refresh.rotate(
            stores,
            presented,
            server.issuer.lifetimes,
            server.clock(),
            dpop_jkt=_refresh_key(self.request),
        )
