"""Whether a phone's key still is in its person's hands, as far as a passkey tells.

A phone that never used a passkey is asked for nothing. One that did is asked again after a
while: what a thief of a browser's profile took along is then worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mobile_api.errors import PasskeyNeeded
from mobile_api.storage.transaction import Storage
from mobile_api.types import Clock, Device

JUST_NOW: Final = timedelta(minutes=5)
"""How young a voucher has to be where something is taken back or deleted."""


@dataclass(frozen=True, slots=True)
class Reauthentication:
    """Looks at vouchers.

    Attributes:
        storage: where they are kept.
        clock: what time it is.
        rp_id: host name of the page; None where passkeys are not used.
        sign_in_age: how old a voucher may be when a sign-in is approved.
    """

    storage: Storage
    clock: Clock
    rp_id: str | None
    sign_in_age: timedelta

    def require_for_sign_in(self, device: Device) -> None:
        """Want a voucher that is young enough to approve a sign-in.

        Raises:
            PasskeyNeeded: the phone has a passkey, and it vouched too long ago.
        """
        self._require(device, self.sign_in_age)

    def require_just_now(self, device: Device) -> None:
        """Want a voucher of the last minutes.

        Raises:
            PasskeyNeeded: the phone has a passkey, and it vouched too long ago.
        """
        self._require(device, min(JUST_NOW, self.sign_in_age))

    def _require(self, device: Device, age: timedelta) -> None:
        with self.storage.reading() as transaction:
            authentication = transaction.passkeys.last_authentication(device.device_id)
        # A passkey of a host name that this service no longer has cannot be asked for.
        if authentication is None or authentication.rp_id != self.rp_id:
            return
        if self.clock() - authentication.at > age:
            raise PasskeyNeeded("confirm with the screen lock of this phone")
