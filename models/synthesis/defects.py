"""Defects of photos that must be refused."""

from __future__ import annotations

from enum import StrEnum


class Defect(StrEnum):
    """What is wrong with a photo."""

    BACK = "back"
    """The back of the hand."""
    BLURRED = "blurred"
    """Far out of focus."""
    BRIGHT = "bright"
    """Overexposed."""
    DARK = "dark"
    """Almost no light."""
    CUT = "cut"
    """Half of the palm outside the picture."""
    EMPTY = "empty"
    """No hand at all."""
