"""Use case: a person sees which clients know them, and takes themselves back from one.

A palm opens it. What follows within a few minutes on the same phone shows a proof of that palm
instead of another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mobile_api.account.palm_proofs import PalmProof, PalmProofs
from mobile_api.account.verification import require_bound
from mobile_api.types import CapturedPalm, Device
from oidc.types import AccountId, LinkedClient, LinkedClientHandle


class LinkedClients(Protocol):
    """What is needed of ``oidc.linked_clients.LinkedClients``."""

    def of(self, account: AccountId) -> list[LinkedClient]:
        """Return who knows the account."""

    def withdraw(self, account: AccountId, handle: LinkedClientHandle) -> None:
        """End one pseudonym; raises ``LinkedClientGone``."""

    def close(self) -> None:
        """Give back what the door holds open; called once, at the end."""


@dataclass(frozen=True, slots=True)
class VerifiedConnections:
    """A palm was the right one.

    Attributes:
        connections: who knows the account.
        palm_proof: stands for the palm for a while.
    """

    connections: list[LinkedClient]
    palm_proof: PalmProof


class LinkedClientService:
    """Shows and ends connections.

    Args:
        linked_clients: of the provider.
        palm_proofs: makes and checks them.
    """

    def __init__(self, linked_clients: LinkedClients, palm_proofs: PalmProofs) -> None:
        self._linked_clients, self._palm_proofs = linked_clients, palm_proofs

    def show(self, device: Device, palm: Callable[[], CapturedPalm]) -> VerifiedConnections:
        """Return who knows the account of a device, if this is its palm.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmMismatch: the palm is not this account's.
            TooManyAttempts: the device has to wait.
        """
        proof = self._palm_proofs.prove(device, palm)
        return VerifiedConnections(self._linked_clients.of(require_bound(device)), proof)

    def withdraw(
        self, device: Device, handle: LinkedClientHandle, palm_proof: str
    ) -> list[LinkedClient]:
        """End one connection; return what is left.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmProofExpired: the proof is too old, or not of this device and account.
            LinkedClientGone: no client knows the account under that handle.
        """
        account = self._palm_proofs.require(device, palm_proof)
        self._linked_clients.withdraw(account, handle)
        return self._linked_clients.of(account)
