"""Use case: a person sees which clients know them, and takes themselves back from one.

A palm opens it. What follows within a few minutes on the same phone shows a proof of that palm
instead of another one: a MAC over device, account and time, which nobody has to keep.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from mobile_api.errors import PalmProofExpired
from mobile_api.own_palm import OwnPalm, require_bound
from mobile_api.types import Clock, Device, ShownPalm
from oidc.types import AccountId, Connection, ConnectionHandle

LIFETIME: Final = timedelta(minutes=5)
"""How long a palm stands for its person on the same phone."""


class Door(Protocol):
    """What is needed of ``oidc.connections.Connections``."""

    def of(self, account: AccountId) -> list[Connection]:
        """Return who knows the account."""

    def withdraw(self, account: AccountId, handle: ConnectionHandle) -> None:
        """End one pseudonym; raises ``ConnectionGone``."""

    def close(self) -> None:
        """Give back what the door holds open; called once, at the end."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A palm was the right one.

    Attributes:
        connections: who knows the account.
        palm_proof: stands for the palm until then.
        expires_at: aware, UTC.
    """

    connections: list[Connection]
    palm_proof: str = field(repr=False)
    expires_at: datetime


class ConnectionService:
    """Shows and ends connections.

    Args:
        door: to the provider.
        own_palm: compares.
        clock: what time it is.
        keys: gives keys for this purpose only: the first makes proofs, all of them check.
    """

    def __init__(
        self, door: Door, own_palm: OwnPalm, clock: Clock, keys: Callable[[], Sequence[bytes]]
    ) -> None:
        self._door, self._own_palm, self._clock, self._keys = door, own_palm, clock, keys

    def show(self, device: Device, palm: Callable[[], ShownPalm]) -> Proved:
        """Return who knows the account of a device, if this is its palm.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmMismatch: the palm is not this account's.
            TooManyAttempts: the device has to wait.
        """
        account = self._own_palm.require(device, palm)
        expires_at = self._clock() + LIFETIME
        end = int(expires_at.timestamp())
        proof = f"{end}-{_mac(self._keys()[0], device, account, end)}"
        return Proved(self._door.of(account), proof, expires_at)

    def withdraw(
        self, device: Device, handle: ConnectionHandle, palm_proof: str
    ) -> list[Connection]:
        """End one connection; return what is left.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmProofExpired: the proof is too old, or not of this device and account.
            ConnectionGone: no client knows the account under that handle.
        """
        account = require_bound(device)
        self._require_proof(device, account, palm_proof)
        self._door.withdraw(account, handle)
        return self._door.of(account)

    def _require_proof(self, device: Device, account: AccountId, palm_proof: str) -> None:
        text, _, mac = palm_proof.partition("-")
        end = int(text) if text.isdecimal() and text.isascii() and len(text) < 16 else 0
        ours = [_mac(key, device, account, end) for key in self._keys()]
        is_ours = any(hmac.compare_digest(each.encode(), mac.encode()) for each in ours)
        if not is_ours or self._clock().timestamp() >= end:
            raise PalmProofExpired("show your palm again")


def _mac(key: bytes, device: Device, account: AccountId, end: int) -> str:
    return hmac.new(key, f"{device.device_id} {account} {end}".encode(), "sha256").hexdigest()
