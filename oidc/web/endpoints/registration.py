"""Registration endpoint and client management.

RFC 7591 §3, RFC 7592 §2. The token is accepted in the header only.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from oidc.errors import (
    ClientFault,
    ClientRefused,
    DatabaseUnavailable,
    OidcError,
    TokenInvalid,
    TooManyRegistrations,
)
from oidc.web.body import read_body
from oidc.web.responses import unavailable
from oidc.web.services import Services

_NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_RETRY_AFTER_S: Final = "3600"


def registration_router(services: Services) -> APIRouter:
    """Return the routes of registration and management."""
    router = APIRouter(prefix=services.paths.base_path)
    registrar = services.registrar

    @router.post("/register")
    async def register(request: Request) -> Response:
        document = await _json_body(request)
        return await _answer(
            lambda: registrar.register(_bearer(request), _parse(document)), 201
        )

    @router.get("/register/{client_id}")
    async def read(request: Request, client_id: str) -> Response:
        return await _answer(lambda: registrar.read(_bearer(request), client_id))

    @router.put("/register/{client_id}")
    async def update(request: Request, client_id: str) -> Response:
        document = await _json_body(request)
        return await _answer(
            lambda: registrar.update(_bearer(request), client_id, _parse(document))
        )

    @router.delete("/register/{client_id}")
    async def remove(request: Request, client_id: str) -> Response:
        return await _answer(lambda: registrar.remove(_bearer(request), client_id), 204)

    return router


async def _answer(act: Callable[[], dict[str, object] | None], status: int = 200) -> Response:
    try:
        body = await run_in_threadpool(act)
    except (TokenInvalid, TooManyRegistrations, ClientFault, DatabaseUnavailable) as fault:
        return _refusal(fault)
    if body is None:
        return Response(status_code=status, headers=_NO_STORE)
    return JSONResponse(body, status, headers=_NO_STORE)


def _refusal(fault: OidcError) -> Response:
    match fault:
        case TokenInvalid():
            challenge = 'Bearer realm="registration", error="invalid_token"'
            status, error, more = 401, fault.code, {"WWW-Authenticate": challenge}
        case TooManyRegistrations():
            status, error, more = 429, fault.code, {"Retry-After": _RETRY_AFTER_S}
        case ClientRefused():
            status, error, more = 400, fault.error, {}
        case ClientFault():
            status, error, more = 400, "invalid_client_metadata", {}
        case _:
            return unavailable(_NO_STORE)
    body = {"error": error, "error_description": str(fault)}
    return JSONResponse(body, status, headers={**_NO_STORE, **more})


def _bearer(request: Request) -> str:
    values = request.headers.getlist("authorization")
    scheme, _, token = (values[0] if len(values) == 1 else "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise TokenInvalid("a bearer token is required")
    return token.strip()


async def _json_body(request: Request) -> bytes | None:
    """Return the body if its type is JSON and it is not too long."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return await read_body(request) if media_type == "application/json" else None


def _parse(body: bytes | None) -> dict[str, Any]:
    """Return the JSON object of a body.

    Raises:
        ClientRefused: it is not one, or a name appears twice.
    """
    if body is None:
        raise ClientRefused("send application/json, 16 kB at most")
    try:
        document = json.loads(body, object_pairs_hook=_reject_duplicates)
        json.dumps(document, ensure_ascii=False).encode()  # no lone surrogate: not stored
    except (ValueError, RecursionError) as fault:
        raise ClientRefused("the body is not JSON in UTF-8 or contains a name twice") from fault
    if not isinstance(document, dict):
        raise ClientRefused("the body must be a JSON object")
    return document


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name appears twice")
    return document
