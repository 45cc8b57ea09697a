"""OpenAPI document of the portal's pages and forms, for tests and reviewers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from oidc.portal.sessions import PROOF
from oidc.web.body import FORM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STATUS_DESCRIPTIONS: Final = {
    200: "the page",
    201: "created; its secret is shown once",
    303: "redirect to another page of the portal or to sign-in",
    400: "not accepted, with the reason",
    403: "the form is not from this browser and session, or the person may not do this",
    404: "the developer has no such client",
    503: "temporarily unavailable",
}

_CLIENT: Final = {
    "name": "client_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
}

_PROOF: Final = {PROOF: {"type": "string", "pattern": "^[0-9a-f]{64}$"}}

PORTAL_PATH: Final = "/portal"
"""Path under ``auth_url``."""

TEXT: Final[Mapping[str, Any]] = {"type": "string"}
FILE: Final[Mapping[str, Any]] = {"type": "string", "format": "binary"}
CHECKBOX: Final[Mapping[str, Any]] = {"type": "string", "enum": ["yes"]}


def one_of(*values: str) -> Mapping[str, Any]:
    """Return the schema of a field with these values."""
    return {"type": "string", "enum": list(values)}


@dataclass(slots=True)
class OpenApiDocument:
    """Collects operations while routes are added."""

    paths: dict[str, dict[str, Any]] = field(default_factory=dict)

    def page(
        self, path: str, summary: str, statuses: Sequence[int], methods: Sequence[str]
    ) -> None:
        """Add a page."""
        for method in methods:
            self._add(path, method, _operation(path, summary, statuses))

    def form(
        self,
        path: str,
        summary: str,
        statuses: Sequence[int],
        fields: Mapping[str, Any],
        media_type: str = FORM,
    ) -> None:
        """Add a form with its CSRF field."""
        schema = {"type": "object", "properties": {**_PROOF, **fields}, "required": [PROOF]}
        body = {"required": True, "content": {media_type: {"schema": schema}}}
        operation = _operation(path, summary, (*statuses, 403))
        self._add(path, "POST", operation | {"requestBody": body})

    def document(self, address: str, cookie: str) -> dict[str, Any]:
        """Return the document."""
        scheme = {"type": "apiKey", "in": "cookie", "name": cookie}
        return {
            "openapi": "3.1.0",
            "info": {"title": "Thenar developer portal", "version": "1"},
            "servers": [{"url": address}],
            "paths": self.paths,
            "components": {"securitySchemes": {"session": scheme}},
            "security": [{}, {"session": []}],
        }

    def _add(self, path: str, method: str, operation: dict[str, Any]) -> None:
        self.paths.setdefault(f"{PORTAL_PATH}{path}", {})[method.lower()] = operation


def _operation(path: str, summary: str, statuses: Sequence[int]) -> dict[str, Any]:
    page = {"text/html": {"schema": {"type": "string"}}}
    answers = {
        str(status): {"description": _STATUS_DESCRIPTIONS[status]}
        | ({} if status == 303 else {"content": page})
        for status in sorted({*statuses, 503})
    }
    described: dict[str, Any] = {"summary": summary, "responses": answers}
    if "{client_id}" in path:
        described["parameters"] = [_CLIENT]
    return described
