"""``WWW-Authenticate`` responses to refused access tokens. RFC 6750 §3, RFC 9449 §7.1."""

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
from oidc.plumbing.dpop import ALGORITHMS
from oidc.tokens.access import Scheme

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
    """Return the response to a refused access token.

    Args:
        fault: the reason.
        scheme: how the token was sent.
        headers: to add.
    """
    if isinstance(fault, TokenMissing):
        # Without a token no error code is sent: RFC 6750 §3.1.
        challenge = f"{_challenge(Scheme.BEARER)}, {_challenge(Scheme.DPOP)}"
        return Response(status_code=401, headers={**headers, "WWW-Authenticate": challenge})
    parts = {"error": fault.code, "error_description": str(fault)}
    if isinstance(fault, ScopeInsufficient):
        parts["scope"] = "openid"
    challenge = _challenge(scheme, **parts)
    if isinstance(fault, TokenInvalid) and scheme is Scheme.BEARER:
        # The token may be DPoP-bound, so both schemes are offered. RFC 9449 §7.1.
        challenge = f"{challenge}, {_challenge(Scheme.DPOP)}"
    answer = {**headers, "WWW-Authenticate": challenge}
    body = {"error": fault.code, "error_description": str(fault)}
    return JSONResponse(body, _STATUS[type(fault)], headers=answer)


def _challenge(scheme: Scheme, **parts: str) -> str:
    named = {"realm": _REALM, **parts}
    if scheme is Scheme.DPOP:
        named["algs"] = " ".join(ALGORITHMS)
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in named.items())
