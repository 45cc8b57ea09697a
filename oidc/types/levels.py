"""What a sign-in proves."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """What a sign-in proves, as ``acr`` names it; best first, then what sandboxes play."""

    PALM_AND_PHONE = "palm-and-phone"
    PALM_AT_STATION = "palm-at-station"
    PALM = "palm"
    SANDBOX = "sandbox"
    SANDBOX_STATION = "sandbox/palm-at-station"
    SANDBOX_PALM = "sandbox/palm"
