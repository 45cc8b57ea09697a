"""The endpoints for clients: tokens, revocation, introspection, PAR (RFC 7009, 7662, 9126).

A token request is checked and spent in one transaction, then signed. A crash in between costs a
code its login and a refresh nothing. It never makes a second token.
"""

from dataclasses import dataclass

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError, OAuth2Error

from oidc.authorization import pushed
from oidc.client import Authentication, Profile
from oidc.errors import AuthorizationRefused, ForeignToken
from oidc.keys import SigningKeys
from oidc.protocol import audience_of
from oidc.storage.database import Database, Stores
from oidc.token_endpoint.authentication import ClientAuthenticator, ClientNotAuthenticated
from oidc.token_endpoint.grants import Granted, Grants
from oidc.token_endpoint.requests import (
    DpopBinding,
    EndpointResponse,
    InvalidDpopProof,
    RawRequest,
    grant_type_of,
    refusal,
)
from oidc.tokens import claims as tokens
from oidc.tokens.access import Introspection
from oidc.tokens.claims import Validity
from oidc.types import Clock, Lifetimes


@dataclass(frozen=True, slots=True)
class Issuer:
    """Signs what a client was granted."""

    keys: SigningKeys
    clock: Clock
    issuer: str
    audience: str
    lifetimes: Lifetimes
    access_token_algorithm: str

    def sign(self, granted: Granted) -> dict[str, object]:
        """Return a token response. RFC 6749 §5.1, OpenID Connect Core §3.1.3.3."""
        access_token = self._access_token(granted)
        body: dict[str, object] = {
            "access_token": access_token,
            "token_type": tokens.token_type(granted.dpop_jkt),
            "expires_in": self.lifetimes.access_token_s,
            "scope": " ".join(granted.scope),
        }
        if "openid" in granted.scope:
            body["id_token"] = self._id_token(granted, access_token)
        if granted.refresh_token is not None:
            ends_at = granted.refresh_token.stored.expires_at
            body["refresh_token"] = granted.refresh_token.token
            body["refresh_token_expires_in"] = tokens.seconds_until(ends_at, self.clock())
        return body

    def _access_token(self, granted: Granted) -> str:
        claims = tokens.access_token_claims(
            granted.grant,
            granted.scope,
            issuer=self.issuer,
            audience=audience_of(self.audience, granted.grant.level),
            dpop_jkt=granted.dpop_jkt,
            valid=Validity(self.clock(), self.lifetimes.access_token_s),
        )
        is_fapi = granted.client.profile is Profile.FAPI2  # FAPI 2.0 §5.4.1: no RS256
        algorithm = "ES256" if is_fapi else self.access_token_algorithm
        return self.keys.sign(claims, typ="at+jwt", algorithm=algorithm)

    def _id_token(self, granted: Granted, access_token: str) -> str:
        claims = tokens.id_token_claims(
            granted.grant,
            issuer=self.issuer,
            access_token=access_token,
            nonce=granted.nonce,
            external_user_id=granted.client.external_user_id,
            valid=Validity(self.clock(), self.lifetimes.id_token_s),
        )
        algorithm = granted.client.id_token_algorithm
        return self.keys.sign(claims, typ="JWT", algorithm=algorithm)


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Serves token requests. RFC 6749 §3.2, OpenID Connect Core §3.1.3."""

    database: Database
    grants: Grants
    issuer: Issuer

    def respond(self, raw: RawRequest) -> EndpointResponse:
        """Return tokens, or an error of RFC 6749 §5.2. Blocking."""
        with self.database.write() as stores:
            outcome = self.redeem(raw, stores)
        return self.answer(outcome)

    def redeem(self, raw: RawRequest, stores: Stores) -> Granted | OAuth2Error:
        """Check a request and spend its code or token.

        A refusal is returned, so that what was written before it is committed.
        """
        try:
            if grant_type_of(raw) == "refresh_token":
                return self.grants.refresh(stores, raw)
            return self.grants.exchange_code(stores, raw)
        except OAuth2Error as fault:
            return fault

    def refusal_at_once(self, raw: RawRequest) -> EndpointResponse | None:
        """Answer a request with nothing to spend, which waits for no writer; None: another."""
        with self.database.read() as stores:
            try:
                spends = raw.proves or self.grants.knows(stores, raw)
            except OAuth2Error as fault:
                return refusal(fault)
            return None if spends else self.answer(self.redeem(raw, stores))

    def answer(self, outcome: Granted | OAuth2Error) -> EndpointResponse:
        """Sign the tokens, after the commit."""
        if isinstance(outcome, OAuth2Error):
            return refusal(outcome)
        return EndpointResponse(200, self.issuer.sign(outcome), {})


@dataclass(frozen=True, slots=True)
class ClientEndpoints:
    """Serves authenticated clients, each request in one transaction. Blocking.

    A request that ends in 503 has used neither assertion nor proof; a refused one has: it is
    refused within its transaction, which is committed.
    """

    database: Database
    authenticator: ClientAuthenticator
    introspection: Introspection
    dpop_binding: DpopBinding
    require_pkce: bool = False

    def revoke(self, raw: RawRequest) -> EndpointResponse:
        """Revoke a token: 200, also for an unknown one. RFC 7009 §2.2."""
        with self.database.write() as stores:
            try:
                client = self.authenticator.authenticate(stores, raw)
                self.introspection.revoke(stores, client, _token(raw))
            except OAuth2Error as fault:
                return refusal(fault)
            except ForeignToken as fault:
                return refusal(InvalidGrantError(str(fault)))
        return EndpointResponse(200, {}, {})

    def introspect(self, raw: RawRequest) -> EndpointResponse:
        """Introspect a token, for confidential clients. RFC 7662 §2.1."""
        with (self.database.write if raw.proves else self.database.read)() as stores:
            try:
                client = self.authenticator.authenticate(stores, raw)
                if client.authentication is Authentication.NONE:
                    raise ClientNotAuthenticated
                found = self.introspection.introspect(stores, client, _token(raw))
            except OAuth2Error as fault:
                return refusal(fault)
        return EndpointResponse(200, found, {})

    def push(self, raw: RawRequest) -> EndpointResponse:
        """Store an authorization request; every fault gives 400. RFC 9126 §2."""
        with self.database.write() as stores:
            try:
                reference = self._pushed(stores, raw)
            except OAuth2Error as fault:
                return refusal(fault)
            except AuthorizationRefused as fault:
                error = {"error": fault.error, "error_description": fault.description}
                return EndpointResponse(400, dict(error), {})
        body = {"request_uri": reference.request_uri, "expires_in": reference.expires_in}
        return EndpointResponse(201, body, {})

    def _pushed(self, stores: Stores, raw: RawRequest) -> pushed.PushedReference:
        """Store it; a proof acts as ``dpop_jkt`` (RFC 9449 §10.1)."""
        client, fields = self.authenticator.authenticate(stores, raw), raw.fields
        if raw.proofs:
            proved = self.dpop_binding.proved_key(stores, raw.proofs)
            if fields.setdefault("dpop_jkt", str(proved)) != proved:
                raise InvalidDpopProof("dpop_jkt names another key than the proof")
        now, require_pkce = self.authenticator.clock(), self.require_pkce
        return pushed.push(stores, client, fields, now, require_pkce=require_pkce)


def _token(raw: RawRequest) -> str:
    if "token" not in raw.fields:
        raise InvalidRequestError("token is missing")
    return raw.fields["token"]
