"""The token endpoint: a raw request in, a response out. No web framework.

It runs in a thread, each write a transaction, or on SQLite in an event loop, where writes share
commits and tokens are signed in threads: RSA takes a third of a request. A DPoP proof or
assertion needs a thread: its ``jti`` gets its own transaction.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, TypeVar

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Error

from oidc.storage.group_commit import GroupCommit
from oidc.token_endpoint.authentication import ClientAdapter
from oidc.token_endpoint.grants import CodeGrant, RotatingRefreshGrant, S256Only
from oidc.token_endpoint.requests import EndpointResponse, ExecutionMode, read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oidc.storage.database import Database
    from oidc.storage.transactions import Stores
    from oidc.token_endpoint.authentication import ClientAuthenticator
    from oidc.token_endpoint.dpop_binding import DpopBinding
    from oidc.token_endpoint.issuing import Issuer
    from oidc.token_endpoint.requests import RawRequest, TokenRequest
    from oidc.types import Clock

    Body = dict[str, object]


T = TypeVar("T")

_SIGNING_THREADS: Final = 2


class _Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server without a web framework."""

    def __init__(
        self,
        database: Database,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        dpop_binding: DpopBinding,
    ) -> None:
        super().__init__()
        self.database = database
        self.authenticator = authenticator
        self.dpop_binding = dpop_binding
        self.issuer = issuer
        self.clock: Clock = issuer.clock
        self.register_grant(CodeGrant, [S256Only()])
        self.register_grant(RotatingRefreshGrant)

    def create_oauth2_request(self, request: TokenRequest) -> TokenRequest:
        """Return the request unchanged."""
        return request

    def authenticate_client(
        self, request: TokenRequest, methods: Sequence[str], endpoint: str = "token"
    ) -> ClientAdapter:
        """Return the authenticated client, or refuse with 401."""
        return ClientAdapter(
            self.authenticator.authenticate(
                request.form, request.authorization, request.address
            )
        )

    async def respond(self, request: TokenRequest) -> EndpointResponse:
        """Return tokens or an error: Authlib's ``create_token_response``, awaitable."""
        try:
            grant = self.get_token_grant(request)
            await grant.check()
            status, body, headers = await grant.exchange()
        except OAuth2Error as fault:
            status, body, headers = fault(self.get_error_uri(request, fault))
        return self.handle_response(status, body, headers)

    def send_signal(self, name: str, *args: object, **kwargs: object) -> None:
        """Send no signals."""

    def handle_response(
        self, status: int, body: dict[str, Any], headers: list[tuple[str, str]]
    ) -> EndpointResponse:
        """Return a value."""
        return EndpointResponse(status, body, dict(headers))


class TokenEndpoint:
    """Serves token requests. RFC 6749 §3.2, OpenID Connect Core §3.1.3."""

    def __init__(
        self,
        database: Database,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        dpop_binding: DpopBinding,
        *,
        uri: str,
    ) -> None:
        self._server = _Server(database, issuer, authenticator, dpop_binding)
        self._uri = uri
        self._database = database
        self._in_thread = ExecutionMode(self._write, _sign)
        self._in_event_loop = (
            None
            if database.is_server
            else ExecutionMode(GroupCommit(database).write, self._sign_in_thread)
        )
        self._threads = ThreadPoolExecutor(_SIGNING_THREADS, "thenar-sign")

    def respond(self, raw: RawRequest) -> EndpointResponse:
        """Return tokens, or an error of RFC 6749 §5.2. Blocking."""
        request = self._read(raw, self._in_thread)
        if isinstance(request, EndpointResponse):
            return request
        try:
            self._server.respond(request).send(None)
        except StopIteration as ended:
            answer: EndpointResponse = ended.value
            return answer
        raise AssertionError("awaited an event loop in a thread")

    async def respond_async(self, raw: RawRequest) -> EndpointResponse | None:
        """Return the same in an event loop; None if a thread is needed."""
        if self._in_event_loop is None or raw.proofs:
            return None
        request = self._read(raw, self._in_event_loop)
        if isinstance(request, EndpointResponse):
            return request
        if "client_assertion" in request.form:
            return None
        return await self._server.respond(request)

    async def _write(self, work: Callable[[Stores], T]) -> T:
        """Run work in its own transaction. Blocking."""
        with self._database.write() as stores:
            return work(stores)

    async def _sign_in_thread(self, make: Callable[[], Body]) -> Body:
        return await asyncio.get_running_loop().run_in_executor(self._threads, make)

    def _read(
        self, raw: RawRequest, execution_mode: ExecutionMode
    ) -> TokenRequest | EndpointResponse:
        try:
            return read_request(raw, self._uri, execution_mode)
        except OAuth2Error as fault:
            return self._server.handle_response(*fault())


async def _sign(make: Callable[[], Body]) -> Body:
    """Make the body of a response here."""
    return make()
