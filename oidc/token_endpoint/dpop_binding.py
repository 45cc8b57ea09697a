"""DPoP proofs of token requests, with the errors of the token endpoint. RFC 9449 §5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from authlib.oauth2.rfc6749 import InvalidGrantError, OAuth2Error

from oidc.errors import NonceNeeded, ProofRefused
from oidc.tokens.dpop import DpopProofs
from oidc.types import Client


class InvalidDpopProof(OAuth2Error):  # type: ignore[misc]
    """The proof is missing or invalid. RFC 9449 §5."""

    error = "invalid_dpop_proof"


class UseDpopNonce(OAuth2Error):  # type: ignore[misc]
    """The proof needs a current nonce, sent with the response. RFC 9449 §8."""

    error = "use_dpop_nonce"


@dataclass(frozen=True, slots=True)
class DpopBinding:
    """Finds the key that a client proves."""

    proofs: DpopProofs
    uris: frozenset[str]

    def require_key(self, client: Client, headers: Sequence[str]) -> str | None:
        """Return the proved key's thumbprint; None if none is required.

        Raises ``InvalidDpopProof``, ``UseDpopNonce``.
        """
        thumbprint = self.proved_key(headers)
        if thumbprint is None and client.require_dpop:
            raise InvalidDpopProof("this client must send a DPoP proof")
        return thumbprint

    def proved_key(self, headers: Sequence[str]) -> str | None:
        """Return the proved key's thumbprint, or None."""
        try:
            return self.proofs.accept(headers, "POST", self.uris)
        except NonceNeeded as fault:
            raise UseDpopNonce(str(fault)) from fault
        except ProofRefused as fault:
            raise InvalidDpopProof(str(fault)) from fault


def require_bound_key(bound: str | None, proved: str | None) -> None:
    """Check that a bound credential comes with its key. RFC 9449 §5, §10.

    Raises ``InvalidGrantError``.
    """
    if bound is not None and bound != proved:
        raise InvalidGrantError("bound to another key than the proof")
