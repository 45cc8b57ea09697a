"""The authorization response: a code or an error, with ``state`` and ``iss`` (RFC 9207).

In the query of the redirect URI, or posted (OAuth 2.0 Form Post Response Mode §2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from oidc.errors import AuthorizationRefused
from oidc.types import ResponseMode


@dataclass(frozen=True, slots=True)
class ResponseTarget:
    """Where the response goes; registered exactly."""

    redirect_uri: str
    response_mode: ResponseMode
    state: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """A response; ``fields`` are names and values, in order."""

    redirect_uri: str
    response_mode: ResponseMode
    fields: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def posted(self) -> tuple[tuple[str, str], ...]:
        """The fields that a form posts; none if they stand in the address."""
        return self.fields if self.response_mode is ResponseMode.FORM_POST else ()

    @property
    def address(self) -> str:
        """The redirect URI, with the fields that are not posted appended to its own query."""
        if self.posted:
            return self.redirect_uri
        separator = "&" if "?" in self.redirect_uri else "?"
        return self.redirect_uri + separator + urlencode(self.fields, quote_via=quote)


def code_response(issuer: str, path: ResponseTarget, code: str) -> AuthorizationResponse:
    """Return the response with a code. RFC 6749 §4.1.2."""
    return _answer(issuer, path, ("code", code))


def error_response(
    issuer: str, path: ResponseTarget, refused: AuthorizationRefused
) -> AuthorizationResponse:
    """Return the response with an error. RFC 6749 §4.1.2.1."""
    description = ("error_description", refused.description)
    return _answer(issuer, path, ("error", refused.error), description)


def _answer(
    issuer: str, path: ResponseTarget, *fields: tuple[str, str]
) -> AuthorizationResponse:
    state = () if path.state is None else (("state", path.state),)
    return AuthorizationResponse(
        path.redirect_uri, path.response_mode, (*fields, *state, ("iss", issuer))
    )
