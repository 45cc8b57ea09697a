"""Levels of a sign-in."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """The strength of a sign-in, named by ``acr``; best first, then those of sandboxes."""

    PALM_AND_PHONE = "palm-and-phone"
    PALM_AT_STATION = "palm-at-station"
    PALM = "palm"
    SANDBOX = "sandbox"
    SANDBOX_STATION = "sandbox/palm-at-station"
    SANDBOX_PALM = "sandbox/palm"
