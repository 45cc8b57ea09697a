"""DPoP proofs of token requests, with the errors of the token endpoint. RFC 9449 §5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from authlib.oauth2.rfc6749 import InvalidGrantError, OAuth2Error

from oidc.errors import NonceNeeded, ProofRefused
from oidc.storage.transactions import Stores
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

    def require_key(
        self, stores: Stores, client: Client, headers: Sequence[str], bound: str | None
    ) -> str | None:
        """Return the proved key's thumbprint; None if none is required. RFC 9449 §5, §10.

        Raises ``InvalidDpopProof``, ``UseDpopNonce``; ``InvalidGrantError`` where the code or
        token is bound to another key.
        """
        proved = self.proved_key(stores, headers)
        if proved is None and client.require_dpop:
            raise InvalidDpopProof("this client must send a DPoP proof")
        if bound is not None and bound != proved:
            raise InvalidGrantError("bound to another key than the proof")
        return proved

    def proved_key(self, stores: Stores, headers: Sequence[str]) -> str | None:
        """Return the proved key's thumbprint, or None."""
        try:
            proof = self.proofs.verify(headers, "POST", self.uris)
            return None if proof is None else self.proofs.use(stores, proof)
        except NonceNeeded as fault:
            raise UseDpopNonce(str(fault)) from fault
        except ProofRefused as fault:
            raise InvalidDpopProof(str(fault)) from fault
