"""Digests of client networks, for limits that are kept in the database."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from oidc.protocol.client_address import client_network as client_network


@dataclass(frozen=True, slots=True)
class NetworkDigests:
    """Makes keyed digests of networks: a copied database must not show where people were."""

    key: Callable[[], bytes]

    def digest_of(self, address: str | None) -> str | None:
        """Return 43 characters for the network of an address, None without a network."""
        network = client_network(address)
        if network is None:
            return None
        digest = hmac.digest(self.key(), network.encode("ascii"), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
