"""Demands a challenge by chance where the account rules do not.

Whether it falls on a phone changes by the hour and is secret until the phone asks: who meets
one cannot begin again until none is asked.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mobile_api.types import Device

PERIOD_S: Final = 3600
"""How long a draw holds for a phone."""


@dataclass(frozen=True, slots=True)
class ChallengeDemand:
    """How often a trusted phone meets a challenge.

    Attributes:
        share: of its hours, 0 to 1.
        keys: secrets for this purpose only; the first draws.
    """

    share: float
    keys: Callable[[], Sequence[bytes]]

    def falls_on(self, device: Device, now: datetime) -> bool:
        """Return whether this phone meets one in this hour."""
        named = f"{device.device_id} {int(now.timestamp()) // PERIOD_S}".encode()
        drawn = int.from_bytes(hmac.digest(self.keys()[0], named, "sha256")[:8], "big")
        return drawn < self.share * 2**64
