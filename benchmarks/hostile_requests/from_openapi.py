"""Draw requests that the OpenAPI descriptions allow or forbid, with schemathesis."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import httpx2
import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode, SerializationContext
from schemathesis.core.result import Ok

from benchmarks.hostile_requests.odd_values import hide_repr
from benchmarks.hostile_requests.raw_http import Request
from engine.template_codec import MEDIA_TYPE

if TYPE_CHECKING:
    from benchmarks.hostile_requests.person import Person

DOCUMENTS: Final = ("/mobile/v1/openapi.json", "/portal/openapi.json")

_AUTOMATIC_HEADERS: Final = frozenset(
    {"content-length", "host", "connection", "transfer-encoding"}
)
"""Set by the HTTP client itself."""

_REQUEST_ARGUMENTS: Final = ("method", "url", "headers", "params", "data", "json", "files")


@dataclass(frozen=True, slots=True)
class OpenApiRequest:
    """A request drawn from an OpenAPI description.

    Attributes:
        request: without credentials.
    """

    label: str
    request: Request = field(repr=False)

    def request_for(self, person: Person) -> Request:
        """Return the request with this person's proof, or with the cookies of their browser."""
        request = self.request
        host = ("Host", person.address.partition("//")[2])
        if request.path.startswith("/portal"):
            browser = (("Cookie", person.cookies), *person.same_origin_headers.items())
            proof = b"proof=" + person.form_proof.encode()
            body = re.sub(rb"proof=[^&]*", proof, request.body)
            return replace(request, headers=(host, *request.headers, *browser), body=body)
        path = unquote(request.path)
        proof_ = person.proof_of(request.method, path, request.body, {})
        others = tuple(pair for pair in request.headers if pair[0] != "DPoP")
        return replace(request, headers=(host, *others, ("DPoP", proof_)))


@schemathesis.serializer(MEDIA_TYPE)
def _as_bytes(_context: SerializationContext, value: Any) -> bytes:  # noqa: ANN401 - as drawn
    return value if isinstance(value, bytes) else str(value).encode()


def openapi_requests(address: str) -> st.SearchStrategy[OpenApiRequest]:
    """Return a strategy for requests to everything the service describes."""
    kinds = []
    for place in DOCUMENTS:
        document = httpx2.get(address + place, timeout=60).raise_for_status().json()
        document["servers"] = [{"url": "/"}]
        for result in schemathesis.openapi.from_dict(document).get_all_operations():
            if isinstance(result, Ok):
                operation = result.ok()
                make = partial(_request, operation.label)
                kinds += [
                    operation.as_strategy(generation_mode=mode).map(make)
                    for mode in _modes(operation)
                ]
    return hide_repr(st.one_of(kinds))


def _modes(operation: Any) -> list[GenerationMode]:  # noqa: ANN401 - schemathesis' own
    """An operation without any part has no invalid requests."""
    parts = [*operation.path_parameters, *operation.query, *operation.headers, *operation.body]
    return list(GenerationMode) if parts else [GenerationMode.POSITIVE]


def _request(label: str, case: Case[Any]) -> OpenApiRequest:
    told = case.as_transport_kwargs(base_url="http://service")
    drawn = {name: value for name, value in told.items() if name in _REQUEST_ARGUMENTS}
    drawn["headers"] = {
        name: value for name, value in drawn["headers"].items() if _can_be_sent(str(value))
    }
    prepared = requests.Request(**drawn).prepare()
    path, _, query = prepared.path_url.partition("?")
    headers = tuple(
        (name, str(value))
        for name, value in prepared.headers.items()
        if name.lower() not in _AUTOMATIC_HEADERS
    )
    drawn_body = prepared.body if isinstance(prepared.body, bytes | str) else b""
    content = drawn_body.encode() if isinstance(drawn_body, str) else drawn_body
    method = prepared.method or "GET"
    return OpenApiRequest(
        label, Request(method, path, raw_query=query or None, headers=headers, body=content)
    )


def _can_be_sent(value: str) -> bool:
    """``requests`` refuses these headers."""
    return value == value.strip() and not set(value) & {"\r", "\n"}
