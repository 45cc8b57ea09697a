"""The authorization request: parsed once, then judged by a table of checks.

The client and its exact redirect URI come first: until both are trusted nothing is redirected
(RFC 6749 §4.1.2.1, RFC 9700 §4.11). Then the checks run in the order of ``CHECKS``; the first
that fails is told to the client, with the ``state`` unchanged and ``iss`` (RFC 9207).

Empty parameters count as absent, unknown ones are ignored (RFC 6749 §3.1).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlencode

from oidc import clients
from oidc.errors import RequestRefused, UntrustedRequest
from oidc.types import AuthorizationRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.storage.transactions import Stores
    from oidc.types import Client

STATE_LENGTH: Final = 500
"""Characters of ``state``. Specification §8."""

NONCE_LENGTH: Final = 500
"""Characters of ``nonce``; the specification is silent, so the same."""

_FIELD_COUNT: Final = 100

_CODE_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 in base64url. RFC 7636 §4.2."""

_KNOWN: Final = frozenset(
    {
        "client_id",
        "code_challenge",
        "code_challenge_method",
        "nonce",
        "prompt",
        "redirect_uri",
        "registration",
        "request",
        "request_uri",
        "response_mode",
        "response_type",
        "scope",
        "state",
        "user_id",
    }
)
"""The parameters this provider reads: none of them may come twice. RFC 6749 §3.1."""

_UNSUPPORTED: Final = {
    "request": "request_not_supported",
    "request_uri": "request_uri_not_supported",
    "registration": "registration_not_supported",
}
"""Ignoring these would be worse than refusing. OpenID Connect Core §3.1.2.6, §6."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The query of an authorization request.

    Attributes:
        values: the first value of each parameter; empty ones are left out.
        repeated: the known parameters that came more than once.
    """

    values: dict[str, str]
    repeated: frozenset[str]

    def get(self, name: str) -> str | None:
        """Return the parameter; None if absent or empty."""
        return self.values.get(name)

    @property
    def state(self) -> str | None:
        """What to send back unchanged; nothing if it is not clear what."""
        return None if "state" in self.repeated else self.get("state")


@dataclass(frozen=True, slots=True)
class Trusted:
    """A client and one of its redirect URIs: from here on, errors may be redirected."""

    client: Client
    redirect_uri: str


def parse_parameters(query: str) -> Parameters:
    """Read a query string (or a form body).

    Raises:
        UntrustedRequest: not UTF-8, or far too many parameters.
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise UntrustedRequest("the request is malformed") from fault
    counts = Counter(name for name, _ in pairs)
    repeated = frozenset(name for name, count in counts.items() if count > 1)
    values = {name: value for name, value in reversed(pairs) if value}
    return Parameters(values, repeated & _KNOWN)


def require_trusted(stores: Stores, parameters: Parameters) -> Trusted:
    """Return the client and redirect URI if both are registered, the URI exactly.

    Raises:
        UntrustedRequest: tell nobody but the browser.
    """
    if parameters.repeated & {"client_id", "redirect_uri"}:
        raise UntrustedRequest("client_id or redirect_uri was sent twice")
    client = clients.find(stores, parameters.get("client_id") or "")
    if client is None:
        raise UntrustedRequest("the client is not registered")
    redirect_uri = parameters.get("redirect_uri")
    if redirect_uri not in client.redirect_uris:
        raise UntrustedRequest("the redirect URI is not registered for this client")
    return Trusted(client, redirect_uri)


def validate(parameters: Parameters, trusted: Trusted) -> AuthorizationRequest:
    """Run every check and return the request.

    Raises:
        RequestRefused: the first check that failed.
    """
    for check in CHECKS:
        check(parameters)
    client = trusted.client
    return AuthorizationRequest(
        client_id=client.client_id,
        client_name=client.name,
        sector=client.sector,
        redirect_uri=trusted.redirect_uri,
        scope=_granted_scope(parameters, client.scope),
        state=parameters.state,
        nonce=parameters.get("nonce"),
        code_challenge=parameters.get("code_challenge"),
        user_id=parameters.get("user_id"),
    )


def check_repeated(parameters: Parameters) -> None:
    """Refuse a parameter that came twice: two readers could believe different ones.

    RFC 6749 §3.1.
    """
    if parameters.repeated:
        names = " ".join(sorted(parameters.repeated))
        raise RequestRefused("invalid_request", f"sent more than once: {names}")


def check_unsupported(parameters: Parameters) -> None:
    """Refuse request objects and registrations. OpenID Connect Core §3.1.2.6."""
    for name, error in _UNSUPPORTED.items():
        if parameters.get(name) is not None:
            raise RequestRefused(error, f"the parameter {name} is not supported")


def check_response_type(parameters: Parameters) -> None:
    """Only the authorization code flow is served. RFC 6749 §4.1.1."""
    response_type = parameters.get("response_type")
    if response_type is None:
        raise RequestRefused("invalid_request", "response_type is missing")
    if response_type != "code":
        raise RequestRefused("unsupported_response_type", "the only response_type is code")


def check_response_mode(parameters: Parameters) -> None:
    """Only the query carries answers. OAuth 2.0 Multiple Response Types §2.1."""
    if parameters.get("response_mode") not in (None, "query"):
        raise RequestRefused("invalid_request", "the only response_mode is query")


def check_scope(parameters: Parameters) -> None:
    """A request without ``openid`` is not an OpenID Connect request. Specification §4.1."""
    if "openid" not in (parameters.get("scope") or "").split(" "):
        raise RequestRefused("invalid_scope", "the scope must include openid")


def check_state(parameters: Parameters) -> None:
    """Refuse a state that is too long; it is sent back all the same. Specification §8."""
    if len(parameters.get("state") or "") > STATE_LENGTH:
        raise RequestRefused("invalid_request", f"state is longer than {STATE_LENGTH}")


def check_nonce(parameters: Parameters) -> None:
    """Refuse a nonce that is too long to be carried in every token."""
    if len(parameters.get("nonce") or "") > NONCE_LENGTH:
        raise RequestRefused("invalid_request", f"nonce is longer than {NONCE_LENGTH}")


def check_pkce(parameters: Parameters) -> None:
    """PKCE is S256 or absent: ``plain``, and a challenge without method, are refused.

    RFC 7636 §4.4.1, RFC 9700 §2.1.1.
    """
    challenge = parameters.get("code_challenge")
    method = parameters.get("code_challenge_method")
    if challenge is None and method is None:
        return
    if method != "S256":
        raise RequestRefused("invalid_request", "the only code_challenge_method is S256")
    if not _CODE_CHALLENGE.fullmatch(challenge or ""):
        raise RequestRefused("invalid_request", "code_challenge is missing or malformed")


def check_prompt(parameters: Parameters) -> None:
    """Every login asks for a palm, so ``none`` cannot succeed. OpenID Connect Core §3.1.2.1."""
    prompts = (parameters.get("prompt") or "").split()
    if "none" not in prompts:
        return
    if len(prompts) > 1:
        raise RequestRefused("invalid_request", "prompt none excludes every other prompt")
    raise RequestRefused("login_required", "a palm must be presented")


CHECKS: Final[tuple[Callable[[Parameters], None], ...]] = (
    check_repeated,
    check_unsupported,
    check_response_type,
    check_response_mode,
    check_scope,
    check_state,
    check_nonce,
    check_pkce,
    check_prompt,
)
"""Order matters: the first that fails is the one the client is told."""


def code_answer(issuer: str, request: AuthorizationRequest, code: str) -> str:
    """Return the address that carries the code to the client. RFC 6749 §4.1.2."""
    return _answer(issuer, request.redirect_uri, [("code", code)], request.state)


def error_answer(
    issuer: str, redirect_uri: str, refused: RequestRefused, state: str | None
) -> str:
    """Return the address that carries an error to the client. RFC 6749 §4.1.2.1."""
    fields = [("error", refused.error), ("error_description", refused.description)]
    return _answer(issuer, redirect_uri, fields, state)


def _answer(
    issuer: str, redirect_uri: str, fields: Sequence[tuple[str, str]], state: str | None
) -> str:
    """Append to the redirect URI's own query, which stays. ``iss``: RFC 9207 §2."""
    pairs = [*fields, *([] if state is None else [("state", state)]), ("iss", issuer)]
    separator = "&" if "?" in redirect_uri else "?"
    return redirect_uri + separator + urlencode(pairs, quote_via=quote)


def _granted_scope(parameters: Parameters, allowed: Sequence[str]) -> tuple[str, ...]:
    """Grant what is asked for, known and allowed to this client; the rest is ignored."""
    asked = (parameters.get("scope") or "").split(" ")
    return tuple(value for value in allowed if value in asked)
