"""Answers to refused access tokens: what is wrong, and which schemes there are.

RFC 6750 §3, RFC 9449 §7.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, Response

from oidc.errors import (
    BearerFault,
    BearerRequestInvalid,
    NonceNeeded,
    ProofRefused,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)
from oidc.tokens.dpop import ALGORITHMS
from oidc.tokens.userinfo import Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

_REALM: Final = "userinfo"

_STATUS: Final = {
    BearerRequestInvalid: 400,
    TokenInvalid: 401,
    ProofRefused: 401,
    NonceNeeded: 401,
    ScopeInsufficient: 403,
}
"""RFC 6750 §3.1, RFC 9449 §7.1."""


def refused_token(
    fault: BearerFault | ProofRefused, scheme: Scheme, headers: Mapping[str, str]
) -> Response:
    """Return the one answer to a refused access token.

    Args:
        fault: what is wrong.
        scheme: how the token was shown.
        headers: to be sent along.
    """
    if isinstance(fault, TokenMissing):
        # Without a token there is no error to name: RFC 6750 §3.1.
        challenge = f"{_challenge(Scheme.BEARER)}, {_challenge(Scheme.DPOP)}"
        return Response(status_code=401, headers={**headers, "WWW-Authenticate": challenge})
    parts = {"error": fault.code, "error_description": str(fault)}
    if isinstance(fault, ScopeInsufficient):
        parts["scope"] = "openid"
    challenge = _challenge(scheme, **parts)
    if isinstance(fault, TokenInvalid) and scheme is Scheme.BEARER:
        # It may be bound to a key: the other scheme is named, too. RFC 9449 §7.1.
        challenge = f"{challenge}, {_challenge(Scheme.DPOP)}"
    answer = {**headers, "WWW-Authenticate": challenge}
    body = {"error": fault.code, "error_description": str(fault)}
    return JSONResponse(body, _STATUS[type(fault)], headers=answer)


def _challenge(scheme: Scheme, **parts: str) -> str:
    named = {"realm": _REALM, **parts}
    if scheme is Scheme.DPOP:
        named["algs"] = " ".join(ALGORITHMS)
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in named.items())
