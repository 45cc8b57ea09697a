"""Token, userinfo, revocation, introspection and PAR endpoints, each at two paths.

Specification §4.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from json import JSONEncoder
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from oidc.errors import BearerFault, BearerRequestInvalid, DatabaseUnavailable, ProofRefused
from oidc.token_endpoint.authentication import claimed_client
from oidc.token_endpoint.requests import EndpointResponse, RawRequest
from oidc.tokens.access import (
    ActiveToken,
    PresentedAccessToken,
    Scheme,
    presented_access_token,
    userinfo_claims,
)
from oidc.web.body import is_form, read_body
from oidc.web.responses import refused_token, unavailable
from oidc.web.services import Services

Respond = Callable[[RawRequest], Awaitable[EndpointResponse]]


_NO_STORE = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "X-Content-Type-Options": "nosniff",
}
_ENCODE = JSONEncoder(separators=(",", ":")).encode
_FIELD_COUNT = 20
_USERINFO_METHODS = ["GET", "HEAD", "POST"]


def token_router(services: Services) -> APIRouter:
    """Return the routes of these endpoints."""
    router = APIRouter(prefix=services.paths.base_path)
    calls = services.client_endpoints
    _serve(services, router, "token", partial(_exchange, services))
    run = services.database.run
    _serve(services, router, "revoke", partial(run, calls.revoke))
    _serve(services, router, "par", partial(run, calls.push))
    # No CORS: introspection requires a client secret, which no script can hold.
    _serve(services, router, "introspect", partial(run, calls.introspect), allows_cors=False)

    async def userinfo(request: Request) -> Response:
        return await services.cors.allow(request, await _userinfo(services, request))

    _add(router, "userinfo", userinfo, _USERINFO_METHODS)
    _add_preflight(services, router, "userinfo", _USERINFO_METHODS)
    return router


def _serve(
    services: Services,
    router: APIRouter,
    endpoint: str,
    respond: Respond,
    *,
    allows_cors: bool = True,
) -> None:
    """Serve an endpoint that accepts a form."""

    async def answer(request: Request) -> Response:
        return await _answer(services, request, endpoint, respond)

    async def readable(request: Request) -> Response:
        return await services.cors.allow(request, await answer(request))

    _add(router, endpoint, readable if allows_cors else answer, ["POST"])
    if allows_cors:
        _add_preflight(services, router, endpoint, ["POST"])


def _add_preflight(
    services: Services, router: APIRouter, endpoint: str, methods: list[str]
) -> None:
    async def preflight(request: Request) -> Response:
        return await services.cors.preflight(request, methods)

    _add(router, endpoint, preflight, ["OPTIONS"])


def _add(
    router: APIRouter,
    endpoint: str,
    handler: Callable[[Request], Awaitable[Response]],
    methods: list[str],
) -> None:
    """Serve both paths of an endpoint (specification §4)."""
    for path in (f"/{endpoint}", f"/oauth/{endpoint}"):
        router.add_api_route(path, handler, methods=methods)


async def _exchange(services: Services, raw: RawRequest) -> EndpointResponse:
    """Answer a token request; on a file, in a shared commit."""
    tokens = services.token_endpoint
    if services.database.is_server:
        return await services.database.run(tokens.respond, raw)
    if (refused := tokens.refusal_at_once(raw)) is not None:
        return refused
    return tokens.answer(await services.group_commit.write(partial(tokens.redeem, raw)))


async def _userinfo(services: Services, request: Request) -> Response:
    headers = {**_NO_STORE, **_nonce_header(services, request)}
    scheme = Scheme.BEARER
    try:
        shown = await _shown_token(request)
        scheme = shown.scheme
        proofs = request.headers.getlist("dpop")
        claims = userinfo_claims(await _open_token(services, shown, request.method, proofs))
    except (BearerFault, ProofRefused) as fault:
        return refused_token(fault, scheme, headers)
    except DatabaseUnavailable:
        return unavailable(headers)
    return _json(claims, 200, headers)


def _json(body: Mapping[str, object], status: int, headers: Mapping[str, str]) -> Response:
    return Response(_ENCODE(body), status, headers, "application/json")


async def _open_token(
    services: Services, shown: PresentedAccessToken, method: str, proofs: list[str]
) -> ActiveToken:
    """Verify a token; of a file at once, if it is only read."""
    if shown.scheme is Scheme.BEARER and not services.database.is_server:
        return services.userinfo.authorize(shown, method, proofs)
    return await services.database.run(services.userinfo.authorize, shown, method, proofs)


def _nonce_header(services: Services, request: Request) -> dict[str, str]:
    """Return the next DPoP nonce, if the request has a proof. RFC 9449 §8.2."""
    nonce = services.proofs.next_nonce() if "dpop" in request.headers else None
    return {} if nonce is None else {"DPoP-Nonce": nonce}


async def _answer(
    services: Services, request: Request, endpoint: str, respond: Respond
) -> Response:
    body = await read_body(request)
    if body is None:
        error = {"error": "invalid_request", "error_description": "the form is too long"}
        return _json(error, 400, _NO_STORE)
    raw = RawRequest(
        content_type=request.headers.get("content-type", ""),
        authorization=_single_header(request, "authorization"),
        body=body,
        proofs=tuple(request.headers.getlist("dpop")),
        address=None if request.client is None else request.client.host,
    )
    headers = {**_NO_STORE, **_nonce_header(services, request)}
    try:
        answer = await respond(raw)
    except DatabaseUnavailable:
        return unavailable(headers)
    if "error" in answer.body:
        said = (str(answer.body.get(each, "")) for each in ("error", "error_description"))
        services.error_log.record(claimed_client(raw), endpoint, *said)
    return _json(answer.body, answer.status, {**answer.headers, **headers})


async def _shown_token(request: Request) -> PresentedAccessToken:
    form_tokens = await _form_tokens(request) if request.method == "POST" else []
    return presented_access_token(_single_header(request, "authorization"), form_tokens)


async def _form_tokens(request: Request) -> list[str]:
    """Return all access tokens of a form body. RFC 6750 §2.2."""
    if not is_form(request):
        return []
    body = await read_body(request)
    if body is None:
        raise BearerRequestInvalid("the form is too long")
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, errors="strict", max_num_fields=_FIELD_COUNT)
    except ValueError as fault:
        raise BearerRequestInvalid("the form is malformed") from fault
    return [value for name, value in pairs if name == "access_token"]


def _single_header(request: Request, name: str) -> str | None:
    """Return the header; repeated ones joined, which no parser accepts."""
    values = request.headers.getlist(name)
    return ", ".join(values) if values else None
