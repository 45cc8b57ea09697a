"""Use case: a person sees the clients linked to the account, and disconnects one.

It starts with a palm; for a few minutes a palm proof is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mobile_api.account.palm_proofs import PalmProof, PalmProofs
from mobile_api.account.verification import require_bound
from mobile_api.provider import Provider
from mobile_api.types import CapturedPalm, Device
from oidc.types import LinkedClient, LinkedClientHandle


@dataclass(frozen=True, slots=True)
class VerifiedLinkedClients:
    """Linked clients, and a palm proof for the next minutes."""

    linked_clients: list[LinkedClient]
    palm_proof: PalmProof


class LinkedClientService:
    """Lists and disconnects clients."""

    def __init__(self, provider: Provider, palm_proofs: PalmProofs) -> None:
        self._provider, self._palm_proofs = provider, palm_proofs

    def show(self, device: Device, palm: Callable[[], CapturedPalm]) -> VerifiedLinkedClients:
        """Return the clients linked to a device's account.

        Raises DeviceUnbound, PalmMismatch or TooManyAttempts.
        """
        proof = self._palm_proofs.prove(device, palm)
        return VerifiedLinkedClients(
            self._provider.linked_clients(require_bound(device)), proof
        )

    def disconnect(
        self, device: Device, handle: LinkedClientHandle, palm_proof: str
    ) -> list[LinkedClient]:
        """Disconnect one client and return the rest.

        Raises DeviceUnbound, PalmProofExpired or LinkedClientGone.
        """
        account = self._palm_proofs.require(device, palm_proof)
        self._provider.disconnect(account, handle)
        return self._provider.linked_clients(account)
