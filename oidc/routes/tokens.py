"""The endpoints for tokens, each at both forms of its address (specification §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from oidc.errors import (
    BearerFault,
    BearerRequestInvalid,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)
from oidc.provider.requests import RawRequest
from oidc.routes.reading import is_form, read_body
from oidc.userinfo import bearer_token, claims_about

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.provider.requests import Answer
    from oidc.routes.context import Context

_NO_STORE = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "X-Content-Type-Options": "nosniff",
}
_REALM = "userinfo"
_FIELD_COUNT = 20

_BEARER_STATUS = {BearerRequestInvalid: 400, TokenInvalid: 401, ScopeInsufficient: 403}
"""RFC 6750 §3.1."""


def token_router(context: Context) -> APIRouter:
    """Return the routes of token, revocation, introspection, pushed requests, userinfo."""
    router = APIRouter(prefix=context.places.base_path)

    @router.post("/token")
    @router.post("/oauth/token")
    async def token(request: Request) -> Response:
        return await _answer(request, context.token_endpoint.respond)

    @router.post("/revoke")
    @router.post("/oauth/revoke")
    async def revoke(request: Request) -> Response:
        return await _answer(request, context.client_calls.revoke)

    @router.post("/introspect")
    @router.post("/oauth/introspect")
    async def introspect(request: Request) -> Response:
        return await _answer(request, context.client_calls.introspect)

    @router.post("/par")
    @router.post("/oauth/par")
    async def push(request: Request) -> Response:
        return await _answer(request, context.client_calls.push)

    @router.get("/userinfo")
    @router.get("/oauth/userinfo")
    @router.post("/userinfo")
    @router.post("/oauth/userinfo")
    async def userinfo(request: Request) -> Response:
        try:
            access_token = await _access_token(request)
            living = await run_in_threadpool(context.access_tokens.living, access_token)
            claims = claims_about(living)
        except BearerFault as fault:
            return bearer_error(fault)
        return JSONResponse(claims, headers=_NO_STORE)

    return router


async def _answer(request: Request, respond: Callable[[RawRequest], Answer]) -> Response:
    body = await read_body(request)
    if body is None:
        error = {"error": "invalid_request", "error_description": "the form is too long"}
        return JSONResponse(error, 400, headers=_NO_STORE)
    raw = RawRequest(
        content_type=request.headers.get("content-type", ""),
        authorization=_single_header(request, "authorization"),
        body=body,
    )
    answer = await run_in_threadpool(respond, raw)
    return JSONResponse(answer.body, answer.status, headers={**answer.headers, **_NO_STORE})


async def _access_token(request: Request) -> str:
    form_tokens = await _form_tokens(request) if request.method == "POST" else []
    return bearer_token(_single_header(request, "authorization"), form_tokens)


async def _form_tokens(request: Request) -> list[str]:
    """Return every access token of a form body; other bodies carry none. RFC 6750 §2.2."""
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
    """Return the header; two of them joined, which no reader will accept."""
    values = request.headers.getlist(name)
    return ", ".join(values) if values else None


def bearer_error(fault: BearerFault) -> Response:
    """Return the one answer to a refused access token. RFC 6750 §3."""
    if isinstance(fault, TokenMissing):
        # Without a token there is no error to name: RFC 6750 §3.1.
        headers = {"WWW-Authenticate": f'Bearer realm="{_REALM}"', **_NO_STORE}
        return Response(status_code=401, headers=headers)
    challenge = f'Bearer realm="{_REALM}", error="{fault.code}", error_description="{fault}"'
    if isinstance(fault, ScopeInsufficient):
        challenge += ', scope="openid"'
    body = {"error": fault.code, "error_description": str(fault)}
    headers = {"WWW-Authenticate": challenge, **_NO_STORE}
    return JSONResponse(body, _BEARER_STATUS[type(fault)], headers=headers)
