"""Use case: a person sees the clients linked to the account, and unlinks one.

It starts with a palm; for a few minutes a palm proof is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mobile_api.account.palm_proofs import PalmProof, PalmProofs
from mobile_api.account.verification import require_bound
from mobile_api.aliases.ports import AliasedLinkedClients
from mobile_api.types import CapturedPalm, Device
from oidc.types import LinkedClient, LinkedClientHandle


@dataclass(frozen=True, slots=True)
class VerifiedLinkedClients:
    """Linked clients, and a palm proof for the next minutes."""

    linked_clients: list[LinkedClient]
    palm_proof: PalmProof


class LinkedClientService:
    """Lists and unlinks clients."""

    def __init__(self, linked_clients: AliasedLinkedClients, palm_proofs: PalmProofs) -> None:
        self._linked_clients, self._palm_proofs = linked_clients, palm_proofs

    def show(self, device: Device, palm: Callable[[], CapturedPalm]) -> VerifiedLinkedClients:
        """Return the clients linked to a device's account.

        Raises DeviceUnbound, PalmMismatch or TooManyAttempts.
        """
        proof = self._palm_proofs.prove(device, palm)
        return VerifiedLinkedClients(self._linked_clients.of(require_bound(device)), proof)

    def withdraw(
        self, device: Device, handle: LinkedClientHandle, palm_proof: str
    ) -> list[LinkedClient]:
        """Unlink one client and return the rest.

        Raises DeviceUnbound, PalmProofExpired or LinkedClientGone.
        """
        account = self._palm_proofs.require(device, palm_proof)
        self._linked_clients.withdraw(account, handle)
        return self._linked_clients.of(account)
