"""The userinfo endpoint: says the subject, nothing else. OpenID Connect Core §5.3.

Reads access tokens as RFC 6750 and RFC 9449 §7 want: one token, in one way; a bound token only
with a proof of its key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from oidc.errors import (
    BearerRequestInvalid,
    ProofRefused,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.tokens.access import AccessTokens, ActiveToken
    from oidc.tokens.dpop import DpopProofs


class Scheme(StrEnum):
    """How an access token was shown."""

    BEARER = "Bearer"
    DPOP = "DPoP"


@dataclass(frozen=True, slots=True)
class PresentedAccessToken:
    """An access token of a request, and how it was shown."""

    scheme: Scheme
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """A protected resource of ours. Blocking.

    Attributes:
        access_tokens: opens access tokens.
        proofs: judges proofs.
        uris: the addresses of the resource.
    """

    access_tokens: AccessTokens
    proofs: DpopProofs
    uris: frozenset[str]

    def authorize(
        self, shown: PresentedAccessToken, method: str, proofs: Sequence[str]
    ) -> ActiveToken:
        """Return what a shown token says, if whoever shows it may.

        Raises:
            TokenInvalid: not good, or bound to another key than was proved.
            ProofRefused: a proof that proves nothing.
        """
        active = self.access_tokens.require_active(shown.token)
        if shown.scheme is Scheme.BEARER:
            if active.dpop_jkt is not None:
                raise TokenInvalid("the token is bound to a key: show it with the scheme DPoP")
            return active
        proved = self.proofs.accept(proofs, method, self.uris, shown.token)
        if proved is None:
            raise ProofRefused("the scheme DPoP needs a DPoP proof")
        if active.dpop_jkt != proved:
            raise TokenInvalid("the token is not bound to the key of the proof")
        return active


def userinfo_claims(active: ActiveToken) -> dict[str, str]:
    """Return the claims about the person, ``sub`` only.

    Raises:
        ScopeInsufficient: the token lacks the scope ``openid``.
    """
    if "openid" not in active.scope:
        raise ScopeInsufficient("the token lacks the scope openid")
    return {"sub": active.grant.subject}


def presented_access_token(
    authorization: str | None, form_token: list[str]
) -> PresentedAccessToken:
    """Return the access token of a request: from the header or from the form, never both.

    Args:
        authorization: value of the header, or None.
        form_token: every ``access_token`` of a form body.

    Raises:
        TokenMissing: there is none.
        BearerRequestInvalid: there are two. RFC 6750 §2.
    """
    scheme, _, credentials = (authorization or "").strip().partition(" ")
    found = [
        PresentedAccessToken(known, credentials.strip())
        for known in Scheme
        if scheme.lower() == known.lower()
    ]
    found += [PresentedAccessToken(Scheme.BEARER, token) for token in form_token]
    if len(found) > 1:
        raise BearerRequestInvalid("the access token was sent more than once")
    if not found or not found[0].token:
        raise TokenMissing("an access token is needed")
    return found[0]
