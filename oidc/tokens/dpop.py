"""DPoP proofs of token and resource requests, each valid once. RFC 9449."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from oidc.errors import NonceNeeded, ProofRefused
from oidc.plumbing.dpop import AHEAD, WINDOW, ProvedRequest, SignedProof, verify_proof
from oidc.protocol.identifiers import digest_of
from oidc.storage.transactions import Stores
from oidc.types import Clock

_NONCE_WINDOW_S: Final = 300
"""The nonce before stays valid as long again."""


class DpopNonces:
    """Nonces without a table: every process derives the same. RFC 9449 §8."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def current(self, now: datetime) -> str:
        """Return the current nonce."""
        return self._of(int(now.timestamp()) // _NONCE_WINDOW_S)

    def is_good(self, nonce: object, now: datetime) -> bool:
        """Return whether this is the current nonce or the one before."""
        if not isinstance(nonce, str):
            return False
        window = int(now.timestamp()) // _NONCE_WINDOW_S
        presented = nonce.encode("utf-8", "surrogatepass")
        good = [
            hmac.compare_digest(presented, self._of(n).encode()) for n in (window, window - 1)
        ]
        return any(good)

    def _of(self, window: int) -> str:
        mac = hmac.digest(self._key, window.to_bytes(8, "big"), "sha256")
        return base64.urlsafe_b64encode(mac[:18]).decode("ascii")


@dataclass(frozen=True, slots=True)
class DpopProofs:
    """Checks proofs, each accepted once."""

    clock: Clock
    nonces: DpopNonces
    need_nonce: bool

    def verify(
        self,
        headers: Sequence[str],
        method: str,
        uris: frozenset[str],
        access_token: str | None = None,
    ) -> SignedProof | None:
        """Return the proof, to be noted by ``use``; None without one.

        ``headers`` are all values of the DPoP header. Raises ``ProofRefused``, ``NonceNeeded``.
        """
        if not headers:
            return None
        now = self.clock()
        proof = verify_proof(headers, ProvedRequest(method, uris, now, access_token))
        self._check_nonce(proof.claims.get("nonce"), now)
        return proof

    def use(self, stores: Stores, proof: SignedProof) -> str:
        """Note a proof as used; return its key's thumbprint (RFC 7638).

        Raises ``ProofRefused`` for one that was used before.
        """
        thumbprint = proof.key.thumbprint()
        digest = digest_of(f"dpop\n{thumbprint}\n{proof.claims['jti']}")
        # As long as iat could still be accepted.
        until = datetime.fromtimestamp(proof.claims["iat"], UTC) + WINDOW + AHEAD
        if not stores.replay.use(digest, max(until, self.clock())):
            raise ProofRefused("the proof was used before")
        return thumbprint

    def next_nonce(self) -> str | None:
        """Return what the next proof must carry, or None."""
        return self.nonces.current(self.clock()) if self.need_nonce else None

    def _check_nonce(self, nonce: object, now: datetime) -> None:
        if nonce is None and not self.need_nonce:
            return
        if not self.nonces.is_good(nonce, now):
            raise NonceNeeded("the proof must carry a nonce of this server")
