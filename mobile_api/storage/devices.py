"""Port: registered phones and their recent palm attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import AttemptLimits, Device, DeviceId
from oidc.types import AccountId


class Devices(Protocol):
    """Registered phones."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False if its key is registered already."""

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key, or None."""

    def bind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Bind an unbound phone to an account; False if it is bound already.

        Atomic: of two concurrent calls exactly one returns True.
        """

    def unbind_all(self, account: AccountId) -> None:
        """Unbind every phone of this account."""


class Attempts(Protocol):
    """Palms that were presented, kept for a day."""

    def add(
        self,
        device: Device,
        at: datetime,
        since: datetime,
        limits: AttemptLimits,
        *,
        failed: bool,
    ) -> int | None:
        """Record an attempt and return its number; None if a limit is reached.

        Atomic: concurrent calls never exceed a limit. ``failed`` counts it as an identification
        without a match, until ``clear``.
        """

    def clear(self, attempt: int) -> None:
        """Record that this attempt was not a failed identification."""

    def purge(self, before: datetime) -> None:
        """Delete attempts older than this."""
