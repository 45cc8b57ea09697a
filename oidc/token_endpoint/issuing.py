"""Issues the tokens of a successful token request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oidc.keys.keyring import KeyRing
from oidc.protocol.acr import audience_of
from oidc.tokens import claims as tokens
from oidc.tokens.claims import Validity
from oidc.tokens.refresh import IssuedRefreshToken
from oidc.types import Client, Clock, Grant, Lifetimes


@dataclass(frozen=True, slots=True)
class Issuer:
    """Signs the tokens of a grant."""

    keys: KeyRing
    clock: Clock
    issuer: str
    audience: str
    lifetimes: Lifetimes
    access_token_algorithm: str

    def response(
        self,
        client: Client,
        grant: Grant,
        scope: Sequence[str],
        *,
        nonce: str | None,
        refresh_token: IssuedRefreshToken | None,
        dpop_jkt: str | None,
    ) -> dict[str, object]:
        """Return a token response. RFC 6749 §5.1, OpenID Connect Core §3.1.3.3.

        ``scope`` is the requested part; ``nonce`` is None at a refresh.
        """
        access_token = self._access_token(grant, scope, dpop_jkt)
        body: dict[str, object] = {
            "access_token": access_token,
            "token_type": tokens.token_type(dpop_jkt),
            "expires_in": self.lifetimes.access_token_s,
            "scope": " ".join(scope),
        }
        if "openid" in scope:
            body["id_token"] = self._id_token(client, grant, access_token, nonce)
        if refresh_token is not None:
            left_s = tokens.seconds_until(refresh_token.expires_at, self.clock())
            body["refresh_token"] = refresh_token.token
            body["refresh_token_expires_in"] = left_s
        return body

    def _access_token(self, grant: Grant, scope: Sequence[str], dpop_jkt: str | None) -> str:
        claims = tokens.access_token_claims(
            grant,
            scope,
            issuer=self.issuer,
            audience=audience_of(self.audience, grant.level),
            dpop_jkt=dpop_jkt,
            valid=Validity(self.clock(), self.lifetimes.access_token_s),
        )
        return self.keys.sign(claims, typ="at+jwt", algorithm=self.access_token_algorithm)

    def _id_token(
        self, client: Client, grant: Grant, access_token: str, nonce: str | None
    ) -> str:
        claims = tokens.id_token_claims(
            grant,
            issuer=self.issuer,
            access_token=access_token,
            nonce=nonce,
            external_user_id=client.external_user_id,
            valid=Validity(self.clock(), self.lifetimes.id_token_s),
        )
        return self.keys.sign(claims, typ="JWT", algorithm=client.id_token_algorithm)
