"""Verification: the palm of a device's account, required before its owner changes something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mobile_api.errors import DeviceUnbound, PalmMismatch
from mobile_api.limits.gallery_budget import GalleryBudget
from mobile_api.recognition.identification import Identification
from mobile_api.types import CapturedPalm, Device
from oidc.types import AccountId


def require_bound(device: Device) -> AccountId:
    """Return the account of a device, or raise DeviceUnbound."""
    if device.account is None:
        raise DeviceUnbound("this phone belongs to no account")
    return device.account


@dataclass(frozen=True, slots=True)
class PalmVerification:
    """Compares a palm with the one account that it must match."""

    identification: Identification
    budget: GalleryBudget

    def require(self, device: Device, palm: Callable[[], CapturedPalm]) -> AccountId:
        """Return the account of a device if this is its palm.

        Reads the palm after charging the question. Raises DeviceUnbound, PalmMismatch or
        TooManyAttempts.
        """
        account = require_bound(device)
        with self.budget.charged(device, own_account=True) as charge:
            if not self.identification.verify(palm(), account):
                raise PalmMismatch("not a palm of this phone's account")
            charge.clear()
        return account
