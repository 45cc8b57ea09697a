"""The userinfo endpoint: says the subject, nothing else. OpenID Connect Core §5.3, RFC 6750."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.errors import BearerRequestInvalid, ScopeInsufficient, TokenMissing

if TYPE_CHECKING:
    from oidc.access_tokens import LivingToken


def claims_about(living: LivingToken) -> dict[str, str]:
    """Return the claims about the person, ``sub`` only.

    Raises:
        ScopeInsufficient: the token lacks the scope ``openid``.
    """
    if "openid" not in living.scope:
        raise ScopeInsufficient("the token lacks the scope openid")
    return {"sub": living.grant.subject}


def bearer_token(authorization: str | None, form_token: list[str]) -> str:
    """Return the access token of a request: from the header or from the form, never both.

    Args:
        authorization: value of the header, or None.
        form_token: every ``access_token`` of a form body.

    Raises:
        TokenMissing: there is none.
        BearerRequestInvalid: there are two. RFC 6750 §2.
    """
    scheme, _, credentials = (authorization or "").strip().partition(" ")
    found = [credentials.strip()] if scheme.lower() == "bearer" else []
    found += form_token
    if len(found) > 1:
        raise BearerRequestInvalid("the access token was sent more than once")
    if not found or not found[0]:
        raise TokenMissing("an access token is needed")
    return found[0]
