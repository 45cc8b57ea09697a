"""Use case: a person takes everything back.

First everything biometric goes, in one transaction that also notes that the provider still has
to forget the account; then the provider forgets. If the process dies in between, the note is
found at the next start. Nobody can be recognised whose pseudonyms are half gone.
"""

from __future__ import annotations

from engine.types import PalmTemplate
from mobile_api import attempts
from mobile_api.attempts import Limits
from mobile_api.authentication import Door
from mobile_api.errors import DeviceUnbound, PalmMismatch
from mobile_api.gallery import LiveGallery
from mobile_api.recognition import Recogniser
from mobile_api.storage.unit import Storage
from mobile_api.types import Clock, Device
from oidc.types import AccountId


class DeletionService:
    """Deletes accounts.

    Args:
        door: to the provider.
        storage: where references are kept.
        gallery: who is enrolled.
        recogniser: compares.
        clock: what time it is.
        limits: how many palms one device may present.
    """

    def __init__(
        self,
        door: Door,
        storage: Storage,
        gallery: LiveGallery,
        recogniser: Recogniser,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._door, self._storage, self._gallery = door, storage, gallery
        self._recogniser, self._clock, self._limits = recogniser, clock, limits

    def delete(self, device: Device, palm: PalmTemplate) -> None:
        """Delete the account of a device, if this is its palm.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmMismatch: the palm is not this account's.
            TooManyAttempts: the device has to wait.
        """
        account = self.require_bound(device)
        with self._storage.writing() as unit:
            attempts.spend(unit, device.device_id, self._clock(), self._limits)
        if not self._recogniser.verify(self._gallery.current(), [palm], account):
            raise PalmMismatch("not a palm of this phone's account")
        self._erase(account)
        self.finish_departures()

    def require_bound(self, device: Device) -> AccountId:
        """Return the account of a device. To be asked before a picture is worked on.

        Raises:
            DeviceUnbound: it belongs to none.
        """
        if device.account is None:
            raise DeviceUnbound("this phone belongs to no account")
        return device.account

    def finish_departures(self) -> None:
        """Let the provider forget every account that was erased here. Twice does no harm."""
        with self._storage.reading() as unit:
            waiting = unit.departures.waiting()
        for account in waiting:
            self._door.forget(account)
            with self._storage.writing() as unit:
                unit.departures.done(account)

    def _erase(self, account: AccountId) -> None:
        now = self._clock()
        with self._storage.writing() as unit:
            unit.enrolments.discard_of(account)
            unit.devices.release(account)
            if unit.references.erase(account, now):
                unit.history.record(account, now)
