"""Revocation (RFC 7009), introspection (RFC 7662) and PAR (RFC 9126)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError, OAuth2Error

from oidc.authorization import pushed
from oidc.errors import AuthorizationRefused, ForeignToken
from oidc.storage.database import Database
from oidc.token_endpoint.authentication import ClientAuthenticator, ClientNotAuthenticated
from oidc.token_endpoint.dpop_binding import DpopBinding, InvalidDpopProof
from oidc.token_endpoint.requests import EndpointResponse, RawRequest, refusal
from oidc.tokens.introspection import Introspection
from oidc.types import Authentication, Client

Respond = Callable[["ClientEndpoints", RawRequest], EndpointResponse]


def _with_refusals(respond: Respond) -> Respond:
    """Return the same endpoint; what it raises becomes a response."""

    @wraps(respond)
    def answer(endpoints: ClientEndpoints, raw: RawRequest) -> EndpointResponse:
        try:
            return respond(endpoints, raw)
        except OAuth2Error as fault:
            return refusal(fault)

    return answer


@dataclass(frozen=True, slots=True)
class ClientEndpoints:
    """Serves authenticated clients. Blocking."""

    database: Database
    authenticator: ClientAuthenticator
    introspection: Introspection
    dpop_binding: DpopBinding
    require_pkce: bool = False

    @_with_refusals
    def revoke(self, raw: RawRequest) -> EndpointResponse:
        """Revoke a token: 200, also for an unknown one. RFC 7009 §2.2."""
        client = self._authenticated(raw)
        try:
            self.introspection.revoke(client, _token(raw))
        except ForeignToken as fault:
            raise InvalidGrantError(str(fault)) from fault
        return EndpointResponse(200, {}, {})

    @_with_refusals
    def introspect(self, raw: RawRequest) -> EndpointResponse:
        """Introspect a token, for confidential clients. RFC 7662 §2.1."""
        client = self._authenticated(raw)
        if client.authentication is Authentication.NONE:
            raise ClientNotAuthenticated
        return EndpointResponse(200, self.introspection.introspect(client, _token(raw)), {})

    @_with_refusals
    def push(self, raw: RawRequest) -> EndpointResponse:
        """Store an authorization request; every fault gives 400. RFC 9126 §2.

        A proof acts as ``dpop_jkt`` (RFC 9449 §10.1).
        """
        client, fields = self._authenticated(raw), raw.fields
        if raw.proofs:
            with self.database.write() as stores:
                proved = self.dpop_binding.proved_key(stores, raw.proofs)
            if fields.setdefault("dpop_jkt", str(proved)) != proved:
                raise InvalidDpopProof("dpop_jkt names another key than the proof")
        try:
            with self.database.write() as stores:
                now, require_pkce = self.authenticator.clock(), self.require_pkce
                reference = pushed.push(stores, client, fields, now, require_pkce=require_pkce)
        except AuthorizationRefused as refused:
            error_fields = {"error": refused.error, "error_description": refused.description}
            return EndpointResponse(400, dict(error_fields), {})
        body = {"request_uri": reference.request_uri, "expires_in": reference.expires_in}
        return EndpointResponse(201, body, {})

    def _authenticated(self, raw: RawRequest) -> Client:
        refused: OAuth2Error
        with (self.database.write if raw.proves else self.database.read)() as stores:
            try:
                return self.authenticator.authenticate(stores, raw)
            except OAuth2Error as fault:
                refused = fault
        raise refused  # after the commit: an assertion that was used stays used


def _token(raw: RawRequest) -> str:
    if "token" not in raw.fields:
        raise InvalidRequestError("token is missing")
    return raw.fields["token"]
