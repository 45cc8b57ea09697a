"""Draw requests that the OpenAPI descriptions allow or forbid, with schemathesis.

Half of them are in place: with the ids, tickets, proofs and templates of a person who is in the
middle of something, so that they reach the code behind the first checks.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

import httpx2
import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode, SerializationContext
from schemathesis.core.result import Ok

from benchmarks.hostile_requests.odd_values import hide_repr
from benchmarks.hostile_requests.raw_http import Pair, Request, segment
from benchmarks.hostile_requests.request_builders.base import (
    FORM,
    Builder,
    ClaimOverrides,
    host,
)
from engine.presentation_attack.session import Phase
from engine.template_codec import MEDIA_TYPE
from mobile_api.frames import FRAMES_TYPE, SentFrame, write_frames

if TYPE_CHECKING:
    from benchmarks.hostile_requests.person import Person

DOCUMENTS: Final = ("/mobile/v1/openapi.json", "/portal/openapi.json")

_FRAMES: Final = write_frames([SentFrame(at, Phase.OPEN, None, b"x") for at in (0, 400)])
"""Well-formed; the pictures in it are none."""

_NAME: Final = re.compile(r"\{(\w+)\}")

_DELETION: Final = "/account/deletion"
"""Sent with another palm: the person goes on."""

_REPLACED_HEADERS: Final = frozenset(
    {"content-length", "host", "connection", "transfer-encoding", "dpop"}
)
"""Set by the HTTP client itself, or by the person."""

_REQUEST_ARGUMENTS: Final = ("method", "url", "headers", "params", "data", "json", "files")

_OWN_VALUES: Final[Mapping[str, Callable[[Person], str]]] = {
    "login_id": lambda person: person.claimed(),
    "enrolment_id": lambda person: person.enrolment(),
    "challenge_id": lambda _: str(uuid4()),
    "number": lambda _: "1",
    "handle": lambda person: person.seen.get("handle", secrets.token_urlsafe(16)),
    "palm_proof": lambda person: person.seen.get("palm_proof", secrets.token_urlsafe(32)),
    "recovery_code": lambda person: person.seen.get("recovery_code", "ABCD-EFGH"),
    "ticket": lambda person: person.login().ticket,
    "consent_version": lambda person: person.consent().version,
    "consent_sha256": lambda person: person.consent().sha256,
    "client_id": lambda person: person.portal_client,
    "proof": lambda person: person.form_proof,
    "client_name": lambda _: "Garden App",
    "token_endpoint_auth_method": lambda _: "client_secret_basic",
    "profile": lambda _: "standard",
    "sandbox": lambda _: "",
    "jwks": lambda _: "",
    "post_logout_redirect_uris": lambda _: "",
    "backchannel_logout_uri": lambda _: "",
    "redirect_uris": lambda _: "https://garden.example/back\nhttps://garden.example/2",
}
"""What a person in the middle of something has, by the description's names."""


@dataclass(frozen=True, slots=True)
class OpenApiRequest:
    """A request drawn from an OpenAPI description.

    Attributes:
        template: the path as described.
        request: as drawn, without credentials.
        in_place: whether names and members are the person's own.
        content: what the description says of its body, by media type.
    """

    template: str
    request: Request = field(repr=False)
    in_place: bool
    content: Mapping[str, Any] = field(repr=False)

    def __call__(self, person: Person, overrides: ClaimOverrides) -> Request:
        """Return the request with this person's proof, or with the cookies of their browser."""
        request = self._in_place(person) if self.in_place else self.request
        request = replace(request, headers=(host(person), *request.headers))
        if request.path.startswith("/portal"):
            browser = (("Cookie", person.cookies), *person.same_origin_headers.items())
            return replace(
                request, headers=(*request.headers, *browser), form=self._form(person)
            )
        path = unquote(request.path)
        proof = person.proof_of(request.method, path, request.body, overrides)
        return replace(request, headers=(*request.headers, ("DPoP", proof)))

    def _in_place(self, person: Person) -> Request:
        path = _NAME.sub(lambda found: segment(_OWN_VALUES[found[1]](person)), self.template)
        if MEDIA_TYPE not in self.content:
            body = _FRAMES if FRAMES_TYPE in self.content else self._json(person)
            return replace(self.request, path=path, body=body)
        body = person.another_template()
        body = body[:-600] + bytes(600) if path.endswith(_DELETION) else body
        headers = (("Content-Type", MEDIA_TYPE),)
        return replace(self.request, path=path, headers=headers, body=body)

    def _json(self, person: Person) -> bytes:
        """Return the body with the person's own texts, if it is a JSON object."""
        try:
            members = json.loads(self.request.body)
        except ValueError:
            members = None
        if not isinstance(members, dict):
            return self.request.body
        own = {
            name: _OWN_VALUES[name](person)
            for name, value in members.items()
            if isinstance(value, str) and name in _OWN_VALUES
        }
        return json.dumps(members | own).encode()

    def _form(self, person: Person) -> tuple[Pair, ...] | None:
        """Return the fields of a form, always with the page's own proof."""
        described = self.content.get(FORM, {}).get("schema", {}).get("properties", {})
        if not described:
            return None
        own = _OWN_VALUES.keys() & described if self.in_place else {"proof"}
        drawn = parse_qsl(self.request.body.decode("latin-1"), keep_blank_values=True)
        others = [(name, value) for name, value in drawn if name not in own]
        return (*((name, _OWN_VALUES[name](person)) for name in sorted(own)), *others)


@schemathesis.serializer(MEDIA_TYPE, FRAMES_TYPE)
def _as_bytes(_context: SerializationContext, value: Any) -> bytes:  # noqa: ANN401 - as drawn
    return value if isinstance(value, bytes) else str(value).encode()


def openapi_builders(address: str) -> dict[str, st.SearchStrategy[Builder]]:
    """Return strategies for requests to every operation that is described to take something."""
    kinds = {}
    for place in DOCUMENTS:
        document = httpx2.get(address + place, timeout=60).raise_for_status().json()
        document["servers"] = [{"url": "/"}]
        for result in schemathesis.openapi.from_dict(document).get_all_operations():
            if isinstance(result, Ok) and _takes_something(operation := result.ok()):
                modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
                drawn = st.builds(partial(_builder, operation), st.one_of(modes), st.booleans())
                kinds[operation.label] = hide_repr(drawn)
    return kinds


def _takes_something(operation: Any) -> bool:  # noqa: ANN401 - schemathesis' own
    """An operation without any part has no invalid requests."""
    parts = (operation.path_parameters, operation.query, operation.headers, operation.body)
    return any(len(part) for part in parts)


def _builder(operation: Any, case: Case[Any], in_place: bool) -> Builder:  # noqa: ANN401, FBT001 - as drawn
    content = operation.definition.raw.get("requestBody", {}).get("content", {})
    return OpenApiRequest(operation.path, _request(case), in_place, content)


def _request(case: Case[Any]) -> Request:
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
        if name.lower() not in _REPLACED_HEADERS
    )
    drawn_body = prepared.body if isinstance(prepared.body, bytes | str) else b""
    content = drawn_body.encode() if isinstance(drawn_body, str) else drawn_body
    method = prepared.method or "GET"
    return Request(method, path, raw_query=query or None, headers=headers, body=content)


def _can_be_sent(value: str) -> bool:
    """``requests`` refuses these headers."""
    return value == value.strip() and not set(value) & {"\r", "\n"}
