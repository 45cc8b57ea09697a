"""The two grants: each checks a request and spends a code or refresh token.

All of a request happens in one transaction. A replayed code or token is ended and refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError, InvalidScopeError
from authlib.oauth2.rfc7636.challenge import CODE_VERIFIER_PATTERN, compare_s256_code_challenge

from oidc.client import Authentication, Client, Profile
from oidc.protocol import digest_of
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code, RefreshToken
from oidc.token_endpoint.authentication import ClientAuthenticator
from oidc.token_endpoint.requests import DpopBinding, RawRequest, grant_type_of
from oidc.tokens import refresh
from oidc.tokens.refresh import HeldToken, Verdict, decide, end_family
from oidc.types import Clock, Grant, Lifetimes

_FAPI_CODE_LIFETIME: Final = timedelta(seconds=60)
"""Upper limit under FAPI 2.0 (§5.3.2.1)."""

_NO_CODE: Final = "Invalid 'code' in request."
_DOWNGRADED: Final = (
    "The authorization request had no 'code_challenge', but a 'code_verifier' was provided."
)
_NO_TOKEN: Final = "the refresh token is not valid"  # noqa: S105 - a message


@dataclass(frozen=True, slots=True)
class Granted:
    """The tokens of a client; they are signed after the commit.

    Attributes:
        scope: the requested part of the grant's.
        nonce: None at a refresh. OpenID Connect Core §12.2.
        dpop_jkt: thumbprint of the key that the access token is bound to, or None.
    """

    client: Client
    grant: Grant
    scope: Sequence[str]
    nonce: str | None
    refresh_token: HeldToken | None
    dpop_jkt: str | None


@dataclass(frozen=True, slots=True)
class Grants:
    """Exchanges codes and refresh tokens, in the caller's transaction.

    What is written before a refusal is raised must be committed.
    """

    authenticator: ClientAuthenticator
    dpop: DpopBinding
    lifetimes: Lifetimes
    clock: Clock

    def knows(self, stores: Stores, raw: RawRequest) -> bool:
        """Return whether a request names a stored code or token, for any client."""
        if grant_type_of(raw) == "refresh_token":
            return stores.tokens.find(digest_of(raw.fields["refresh_token"])) is not None
        return stores.codes.lock(digest_of(raw.fields["code"])) is not None

    def exchange_code(self, stores: Stores, raw: RawRequest) -> Granted:
        """Exchange a code. RFC 6749 §4.1.3, RFC 9449 §10."""
        now, client = self.clock(), self.authenticator.authenticate(stores, raw)
        code = stores.codes.lock(digest_of(raw.fields["code"]))
        if code is None or code.client_id != client.client_id:
            raise InvalidGrantError(_NO_CODE)
        _require_usable(stores, self._as_profiled(code, client), now, _NO_CODE)
        if raw.fields["redirect_uri"] != code.redirect_uri:
            raise InvalidGrantError("Invalid 'redirect_uri' in request.")
        _require_verifier(code.code_challenge, raw.fields.get("code_verifier"))
        key = self.dpop.require_key(stores, client, raw.proofs, code.dpop_jkt)
        grant = _require_alive(stores, code, "the code is not valid")
        stores.codes.spend(code.digest, now)
        first = None
        if "offline_access" in grant.scope:
            lifetimes, bound = _refresh_lifetimes(client, self.lifetimes), _bound(client, key)
            first = refresh.begin_family(stores, grant, lifetimes, now, dpop_jkt=bound)
        return Granted(client, grant, grant.scope, grant.nonce, first, key)

    def refresh(self, stores: Stores, raw: RawRequest) -> Granted:
        """Exchange a refresh token for its successor. RFC 6749 §6, RFC 9449 §5."""
        now, client = self.clock(), self.authenticator.authenticate(stores, raw)
        held = refresh.find(stores, raw.fields["refresh_token"], client.client_id)
        if held is None:
            raise InvalidGrantError(_NO_TOKEN)
        successor = refresh.successor_of(stores, held)
        _require_usable(stores, held.stored, now, _NO_TOKEN, successor)
        grant = _require_alive(stores, held.stored, _NO_TOKEN)
        scope = _narrowed(grant.scope, raw.fields.get("scope"))
        key = self.dpop.require_key(stores, client, raw.proofs, held.stored.dpop_jkt)
        following, bound = successor or held, _bound(client, key)
        if successor is not None and successor.stored.dpop_jkt not in (None, bound):
            end_family(stores, held.stored, now)
            raise InvalidGrantError(_NO_TOKEN)
        if successor is None and _rotates(client):
            following = refresh.rotate(stores, held, self.lifetimes, now, dpop_jkt=bound)
        return Granted(client, grant, scope, None, following, key)

    def _as_profiled(self, code: Code, client: Client) -> Code:
        """Return the code with the lifetime that its client's profile allows."""
        if client.profile is not Profile.FAPI2:
            return code
        longer = timedelta(seconds=self.lifetimes.code_s) - _FAPI_CODE_LIFETIME
        return replace(code, expires_at=code.expires_at - max(longer, timedelta(0)))


def _require_usable(
    stores: Stores,
    presented: Code | RefreshToken,
    now: datetime,
    reason: str,
    successor: HeldToken | None = None,
) -> None:
    """Check that a code or token may be exchanged; a replay ends its family."""
    verdict = decide(presented, now, None if successor is None else successor.stored)
    if verdict is Verdict.REPLAY:
        end_family(stores, presented, now)
    if verdict in (Verdict.REPLAY, Verdict.EXPIRED):
        raise InvalidGrantError(reason)


def _require_alive(stores: Stores, presented: Code | RefreshToken, reason: str) -> Grant:
    """Return the grant, unless it was revoked."""
    grant = stores.grants.find(presented.grant_id)
    if grant is None:
        raise InvalidGrantError(reason)
    return grant


def _require_verifier(challenge: str | None, verifier: str | None) -> None:
    """Check PKCE. RFC 7636 §4.6; a verifier alone is a downgrade (RFC 9700 §4.8.2)."""
    if challenge is None:
        if verifier is not None:
            raise InvalidRequestError(_DOWNGRADED)
        return
    if verifier is None:
        raise InvalidGrantError("Missing 'code_verifier'")
    if not CODE_VERIFIER_PATTERN.match(verifier):
        raise InvalidRequestError("Invalid 'code_verifier'")
    if not compare_s256_code_challenge(verifier, challenge):
        raise InvalidGrantError("Code challenge failed.")


def _narrowed(granted: Sequence[str], requested: str | None) -> Sequence[str]:
    """Return the requested part of a scope; all of it if none is named. RFC 6749 §3.3, §6."""
    if requested is None:
        return granted
    scope = tuple(dict.fromkeys(requested.split()))
    if not scope or not set(scope) <= set(granted):
        raise InvalidScopeError
    return scope


def _rotates(client: Client) -> bool:
    """FAPI 2.0 §5.3.2.1 forbids rotation."""
    return client.profile is not Profile.FAPI2


def _refresh_lifetimes(client: Client, lifetimes: Lifetimes) -> Lifetimes:
    """Return the lifetimes; a token that is not rotated has no idle end."""
    if _rotates(client):
        return lifetimes
    return replace(lifetimes, refresh_token_idle_s=lifetimes.refresh_token_s)


def _bound(client: Client, key: str | None) -> str | None:
    """Return what binds a public client's refresh token. RFC 9449 §5."""
    return key if client.authentication is Authentication.NONE else None
