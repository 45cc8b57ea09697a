"""The OpenAPI description of the mobile API, from which clients are generated.

FastAPI describes addresses and messages. The errors are what each route and its dependencies
say that they raise (``http.raises``); ``error_responses`` has their statuses.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi

from engine.types import QualityReason
from mobile_api import errors as e
from mobile_api import messages as m
from mobile_api.api import (
    account_routes,
    challenge_routes,
    login_routes,
    passkey_routes,
    phone_routes,
)
from mobile_api.api.http import TypedRoute
from mobile_api.server.error_responses import HTTP_ERRORS, status_of
from mobile_api.types import ChallengeFailure
from oidc.errors import DatabaseUnavailable
from oidc.types import NextStep

ROUTERS: Final[Sequence[APIRouter]] = tuple(
    each.router
    for each in (phone_routes, login_routes, challenge_routes, account_routes, passkey_routes)
)

_TEXT: Final = """
The API for phones. A request with the security scheme **DPoP** carries a proof in that
header: a JWT (`typ` dpop+jwt, `alg` ES256, `jwk` the public P-256 key; claims `jti`, `htm`,
`htu`, `iat`, `nonce`, and `bh`, the base64url SHA-256 of the body, even if empty). Every
response carries a new **DPoP-Nonce**, which is valid once and for a minute. No response
contains a comparison score. Later versions may answer with further fields and error codes.
"""

_PROOF: Final = {
    "type": "apiKey",
    "in": "header",
    "name": m.PROOF_HEADER,
    "description": "Proof of possession of the device key, over method, address and body.",
}

_HEADERS: Final = {
    m.NONCE_HEADER: {"description": "For the next proof.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
}

ALWAYS: Final = (e.TooManyRequests, DatabaseUnavailable)
"""What any request may meet."""

OF_BODY: Final = (
    *(e.BodyIncomplete, e.BodyTooLarge, e.WrongContentType),
    *(e.InvalidRequest, e.ServiceBusy),
)
"""What any request with a body may meet."""

_SCHEMAS: Final = "#/components/schemas/"


def routes() -> Iterator[TypedRoute]:
    """Yield every route of the API."""
    for router in ROUTERS:
        yield from (each for each in router.routes if isinstance(each, TypedRoute))


def description_of(served: Sequence[APIRouter], server: str) -> dict[str, Any]:
    """Return the OpenAPI description of some routers at the address of a server."""
    found = get_openapi(
        title="Thenar mobile API",
        version="1",
        description=_TEXT,
        routes=[route for router in served for route in router.routes],
        servers=[{"url": server}],
    )
    for route in routes():
        for method, operation in found["paths"].get(route.path_format, {}).items():
            if method.upper() in (route.methods or ()):
                _complete(operation, route)
    found["paths"] = {
        path.removeprefix(m.API_PREFIX): each for path, each in found["paths"].items()
    }
    components = found["components"]
    components |= {"securitySchemes": {m.PROOF_HEADER: _PROOF}, "headers": _HEADERS}
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    components["schemas"] |= _error_schemas()
    return found


def _complete(operation: dict[str, Any], route: TypedRoute) -> None:
    """Add to an operation its name, proof, errors and headers."""
    first, *others = route.name.split("_")
    operation["operationId"] = first + "".join(word.capitalize() for word in others)
    if route.is_signed:
        operation["security"] = [{m.PROOF_HEADER: []}]
    responses = operation["responses"]
    responses.pop("422", None)
    for status, codes in errors_of(route).items():
        responses[str(status)] = {
            "description": ", ".join(f"`{code}`" for code in codes),
            "content": {"application/json": {"schema": {"$ref": f"{_SCHEMAS}ErrorMessage"}}},
        }
    for status, each in responses.items():
        names = _HEADERS if status in {"429", "503"} else (m.NONCE_HEADER,)
        each["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def errors_of(route: TypedRoute) -> dict[int, list[str]]:
    """Return the error codes of a route by status."""
    found: dict[int, set[str]] = {}
    for fault in faults_of(route):
        found.setdefault(status_of(fault), set()).add(fault.code)
    return {status: sorted(codes) for status, codes in sorted(found.items())}


def faults_of(route: TypedRoute) -> Iterator[Any]:
    """Yield the exceptions that a route answers with."""
    yield from (*ALWAYS, *(OF_BODY if route.content_types else ()))
    if route.dependant.path_params:
        yield e.InvalidRequest
    yield from _raised(route.dependant)


def _raised(dependant: Dependant) -> Iterator[Any]:
    yield from getattr(dependant.call, "faults", ())
    for each in dependant.dependencies:
        yield from _raised(each)


def _error_schemas() -> dict[str, Any]:
    """Return the schemas of an error, with its words.

    They have no names of their own: in Go the constants of two enumerations would collide.
    """
    message = m.ErrorMessage.model_json_schema(ref_template=_SCHEMAS + "{model}")
    codes = {code for route in routes() for each in errors_of(route).values() for code in each}
    found: dict[str, Iterable[str]] = {
        "error": {*codes, "server_error", *(code for code, _ in HTTP_ERRORS.values())},
        "reason": {each.value for each in (*QualityReason, *ChallengeFailure)},
        "hint": {each.value for each in NextStep},
    }
    for name, words in found.items():
        text = message["properties"][name]["description"]
        word = {"type": "string", "enum": sorted(words), "description": text}
        message["properties"][name] = word
    return {**message.pop("$defs", {}), m.ErrorMessage.__name__: message}
