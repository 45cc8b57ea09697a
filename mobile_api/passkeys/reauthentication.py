"""Re-authentication: whether a phone's passkey was used recently enough.

Phones without a passkey are not asked. A stolen browser profile stops working when the passkey,
which is not in it, is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mobile_api.errors import PasskeyNeeded
from mobile_api.storage.transaction import Storage
from mobile_api.types import Clock, Device

JUST_NOW: Final = timedelta(minutes=5)
"""Limit for withdrawing or deleting something."""


@dataclass(frozen=True, slots=True)
class Reauthentication:
    """Requires recent passkey authentications.

    Attributes:
        rp_id: host name of the phone page; None if passkeys are off.
        sign_in_age: limit for approving a sign-in.
    """

    storage: Storage
    clock: Clock
    rp_id: str | None
    sign_in_age: timedelta

    def require_for_sign_in(self, device: Device) -> None:
        """Require an authentication recent enough for a sign-in, or raise PasskeyNeeded."""
        self._require(device, self.sign_in_age)

    def require_just_now(self, device: Device) -> None:
        """Require an authentication within minutes, or raise PasskeyNeeded."""
        self._require(device, min(JUST_NOW, self.sign_in_age))

    def _require(self, device: Device, age: timedelta) -> None:
        with self.storage.reading() as transaction:
            authentication = transaction.passkeys.last_authentication(device.device_id)
        # A passkey of an earlier host name cannot be used any more.
        if authentication is None or authentication.rp_id != self.rp_id:
            return
        if self.clock() - authentication.at > age:
            raise PasskeyNeeded("confirm with the screen lock of this phone")
