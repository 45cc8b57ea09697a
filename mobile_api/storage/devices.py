"""Port: registered phones, and the palms they presented lately."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import Device, DeviceId
from oidc.types import AccountId


class Devices(Protocol):
    """Registered phones."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False, and nothing changed, if its key is registered already."""

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key, None if it is not registered."""

    def bind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Give a phone that belongs to nobody to an account; False if it belongs to somebody.

        Atomic: of two concurrent calls exactly one returns True.
        """

    def release(self, account: AccountId) -> None:
        """Let no phone belong to this account any longer."""


class Attempts(Protocol):
    """Palms that were presented. Kept for a day; no result but failed or not."""

    def spend(
        self, device_id: DeviceId, at: datetime, since: datetime, *, most: int, most_failed: int
    ) -> int | None:
        """Note an attempt and return its number; None if there are too many since ``since``.

        Atomic: concurrent calls of one device never exceed ``most``.
        """

    def fail(self, attempt: int) -> None:
        """Note that this attempt searched the gallery and matched nobody."""

    def purge(self, before: datetime) -> None:
        """Forget attempts older than this."""
