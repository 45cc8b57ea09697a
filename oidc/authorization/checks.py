"""The checks of an authorization request; the client gets the first that fails."""

import re
from collections.abc import Callable
from typing import Final

from oidc.authorization.interaction import parse_interaction
from oidc.client import ResponseMode
from oidc.errors import AuthorizationRefused
from oidc.protocol import Parameters

LENGTH: Final = 500
"""Characters of ``state`` (specification §8), and of ``nonce``."""

_CODE_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 in base64url. RFC 7636 §4.2."""

_THUMBPRINT: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 of a key in base64url. RFC 7638 §3."""

_UNSUPPORTED: Final = {
    "request": "request_not_supported",
    "request_uri": "request_uri_not_supported",
    "registration": "registration_not_supported",
}
"""Ignoring them would be unsafe. OpenID Connect Core §3.1.2.6, §6."""


def check_repeated(parameters: Parameters) -> None:
    """Refuse repeated parameters, which readers could understand differently. RFC 6749 §3.1."""
    if parameters.repeated:
        names = " ".join(sorted(parameters.repeated))
        raise AuthorizationRefused(f"parameters sent more than once: {names}")


def check_unsupported(parameters: Parameters) -> None:
    """Refuse request objects and registrations. OpenID Connect Core §3.1.2.6."""
    for name, error in _UNSUPPORTED.items():
        if parameters.get(name) is not None:
            raise AuthorizationRefused(f"the parameter {name} is not supported", error)


def check_response_type(parameters: Parameters) -> None:
    """Allow the authorization code flow only. RFC 6749 §4.1.1."""
    response_type = parameters.get("response_type")
    if response_type is None:
        raise AuthorizationRefused("response_type is missing")
    if response_type != "code":
        raise AuthorizationRefused(
            "the only supported response_type is code", "unsupported_response_type"
        )


def check_response_mode(parameters: Parameters) -> None:
    """Allow query and form_post. OAuth 2.0 Multiple Response Types §2.1."""
    requested = parameters.get("response_mode")
    if requested is not None and requested not in list(ResponseMode):
        raise AuthorizationRefused("response_mode must be query or form_post")
    if requested is not None and requested != parameters.response_mode:
        reason = (
            "form_post needs an http(s) redirect_uri and a state without control characters"
        )
        raise AuthorizationRefused(reason)


def check_scope(parameters: Parameters) -> None:
    """Require ``openid``. Specification §4.1."""
    if "openid" not in (parameters.get("scope") or "").split(" "):
        raise AuthorizationRefused("the scope must include openid", "invalid_scope")


def check_lengths(parameters: Parameters) -> None:
    """Refuse a long ``state``, but return it, or ``nonce``. Specification §8."""
    for name in ("state", "nonce"):
        if len(parameters.get(name) or "") > LENGTH:
            raise AuthorizationRefused(
                f"{name} is longer than {LENGTH} characters: send a random value, and keep "
                "the page in your app's own session"
            )


def check_pkce(parameters: Parameters) -> None:
    """Allow S256 or no PKCE. RFC 7636 §4.4.1, RFC 9700 §2.1.1."""
    challenge = parameters.get("code_challenge")
    method = parameters.get("code_challenge_method")
    if challenge is None and method is None:
        return
    if method != "S256":
        raise AuthorizationRefused("the only supported code_challenge_method is S256")
    if not _CODE_CHALLENGE.fullmatch(challenge or ""):
        raise AuthorizationRefused("code_challenge is missing or malformed")


def check_dpop_jkt(parameters: Parameters) -> None:
    """Require a SHA-256 thumbprint. RFC 9449 §10."""
    thumbprint = parameters.get("dpop_jkt")
    if thumbprint is not None and not _THUMBPRINT.fullmatch(thumbprint):
        raise AuthorizationRefused("dpop_jkt is not a SHA-256 thumbprint")


CHECKS: Final[tuple[Callable[[Parameters], object], ...]] = (
    check_repeated,
    check_unsupported,
    check_response_type,
    check_response_mode,
    check_scope,
    check_lengths,
    check_pkce,
    check_dpop_jkt,
    parse_interaction,
)
