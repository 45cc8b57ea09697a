"""Palm proofs: a phone that has just shown its palm need not show it again at once.

A proof is a MAC over device, account and expiry. It is not stored. Where the service asks for
challenges it stands for a palm in one: no other gives a proof.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from mobile_api.devices import require_bound
from mobile_api.errors import PalmProofExpired
from mobile_api.recognition.counted_identification import CountedIdentification, Probe
from mobile_api.types import Clock, Device
from oidc.types import AccountId

LIFETIME: Final = timedelta(minutes=5)
"""On the same phone only."""


@dataclass(frozen=True, slots=True)
class PalmProof:
    """A palm proof and its expiry (aware, UTC)."""

    text: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ProvedPalm:
    """Whose palm was shown, and when (aware, UTC)."""

    account: AccountId = field(repr=False)
    shown_at: datetime


class PalmProofs:
    """Issues and checks palm proofs.

    ``keys`` returns keys for this purpose only: the first signs, all verify.
    """

    def __init__(
        self, palms: CountedIdentification, clock: Clock, keys: Callable[[], Sequence[bytes]]
    ) -> None:
        self._palms, self._clock, self._keys = palms, clock, keys

    def prove(self, device: Device, palm: Probe) -> PalmProof:
        """Return a proof if this is a palm of the device's account.

        Raises DeviceUnbound, PalmMismatch or TooManyAttempts.
        """
        self._palms.require_owner(device, palm)
        return self.issue(device)

    def issue(self, device: Device, expires_at: datetime | None = None) -> PalmProof:
        """Return a proof for a device whose palm was just verified. Raises DeviceUnbound.

        ``expires_at``: of the proof that this one repeats.
        """
        account = require_bound(device)
        expires_at = expires_at or self._clock() + LIFETIME
        end = int(expires_at.timestamp() * 1000)
        mac = _mac(self._keys()[0], device, account, end)
        return PalmProof(f"{end}-{mac}", expires_at)

    def require(self, device: Device, proof: str) -> AccountId:
        """Return the account of a device if the proof is valid: as ``verify``."""
        return self.verify(device, proof).account

    def verify(self, device: Device, proof: str) -> ProvedPalm:
        """Return what a proof of this device says. Raises DeviceUnbound or PalmProofExpired."""
        account = require_bound(device)
        text, _, mac = proof.partition("-")
        end = int(text) if text.isdecimal() and text.isascii() and len(text) < 15 else 0
        ours = [_mac(key, device, account, end) for key in self._keys()]
        is_ours = any(hmac.compare_digest(each.encode(), mac.encode()) for each in ours)
        expires_at = datetime.fromtimestamp(end / 1000, UTC)
        if not is_ours or self._clock() >= expires_at:
            raise PalmProofExpired("show your palm again")
        return ProvedPalm(account, expires_at - LIFETIME)


def _mac(key: bytes, device: Device, account: AccountId, end: int) -> str:
    return hmac.new(key, f"{device.device_id} {account} {end}".encode(), "sha256").hexdigest()
