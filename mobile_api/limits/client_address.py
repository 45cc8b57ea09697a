"""Digests of client networks and phones, for limits that are kept in the database."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from mobile_api.types import DeviceId, Networks
from oidc.plumbing.client_address import client_networks


@dataclass(frozen=True, slots=True)
class NetworkDigests:
    """Makes keyed digests of networks and phones.

    A copied database must not show where people were, nor which phone an attempt was of.
    """

    key: Callable[[], bytes]

    def of(self, address: str | None) -> Networks | None:
        """Return the networks of an address, None for loopback or without an address."""
        networks = client_networks(address)
        return None if networks is None else Networks(*map(self._digest, networks))

    def of_device(self, device_id: DeviceId) -> str:
        """Return the digest of a phone."""
        return self._digest(f"phone {device_id}")

    def _digest(self, name: str) -> str:
        """Return the keyed SHA-256 of a name, base64url without padding."""
        digest = hmac.digest(self.key(), name.encode("ascii"), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
