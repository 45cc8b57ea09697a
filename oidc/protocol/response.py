"""The answer to an authorization request: a code or an error, on its way to the client.

Every answer carries the ``state`` unchanged and ``iss`` (RFC 9207). It travels in the query of
the redirect URI or, if the client asked for it, in a form that the browser posts there (OAuth
2.0 Form Post Response Mode §2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from oidc.errors import AuthorizationRefused
    from oidc.types import ResponseMode


@dataclass(frozen=True, slots=True)
class ResponseTarget:
    """How to reach the client.

    Attributes:
        redirect_uri: registered for it, exactly.
        response_mode: in the query or by a form.
        state: returned unchanged; None if none was sent.
    """

    redirect_uri: str
    response_mode: ResponseMode
    state: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """What the client is told, and how it travels.

    Attributes:
        redirect_uri: where to.
        response_mode: in the query or by a form.
        fields: names and values, in order.
    """

    redirect_uri: str
    response_mode: ResponseMode
    fields: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def address(self) -> str:
        """The redirect URI with the fields appended to its own query, which stays."""
        separator = "&" if "?" in self.redirect_uri else "?"
        return self.redirect_uri + separator + urlencode(self.fields, quote_via=quote)


def code_response(issuer: str, path: ResponseTarget, code: str) -> AuthorizationResponse:
    """Return the answer that carries a code. RFC 6749 §4.1.2."""
    return _answer(issuer, path, ("code", code))


def error_response(
    issuer: str, path: ResponseTarget, refused: AuthorizationRefused
) -> AuthorizationResponse:
    """Return the answer that carries an error. RFC 6749 §4.1.2.1."""
    description = ("error_description", refused.description)
    return _answer(issuer, path, ("error", refused.error), description)


def _answer(
    issuer: str, path: ResponseTarget, *fields: tuple[str, str]
) -> AuthorizationResponse:
    state = () if path.state is None else (("state", path.state),)
    return AuthorizationResponse(
        path.redirect_uri, path.response_mode, (*fields, *state, ("iss", issuer))
    )
