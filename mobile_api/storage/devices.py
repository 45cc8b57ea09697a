"""Port: registered phones, and the palms they presented lately."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import AttemptLimits, Device, DeviceId
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

    def unbind_all(self, account: AccountId) -> None:
        """Let no phone belong to this account any longer."""


class Attempts(Protocol):
    """Palms that were presented. Kept for a day; no result but failed or not."""

    def add(
        self,
        device: Device,
        at: datetime,
        since: datetime,
        limits: AttemptLimits,
        *,
        failed: bool,
    ) -> int | None:
        """Note an attempt and return its number; None if there are too many since ``since``.

        Atomic: concurrent calls, of one device or of many, never exceed a limit.

        Args:
            device: which phone, whose, and from which network.
            at: when.
            since: from when on attempts count.
            limits: how many there may be.
            failed: whether it counts as a search without a match until it is cleared.
        """

    def clear(self, attempt: int) -> None:
        """Note that this attempt was no search of the gallery without a match after all."""

    def purge(self, before: datetime) -> None:
        """Forget attempts older than this."""
