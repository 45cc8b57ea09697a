"""Writes the engine's parameters as a JavaScript module: the page needs no second copy."""

from __future__ import annotations

import json
from typing import Final

from engine import parameters

PREFIXES: Final = ("DETECT", "HAND", "LANDMARK_", "ROI_FIT_LANDMARKS", "ROI_MEAN_PALM", "SEEN_")
"""Parameters of hand detection, and of what follows the palm graph."""

HEAD: Final = "// Written by mobile_api.page_build from engine/parameters.py."


def module() -> str:
    """Return the module's source, one exported constant per parameter."""
    lines = [
        f"export const {name} = {json.dumps(value)};"
        for name, value in sorted(vars(parameters).items())
        if name.startswith(PREFIXES)
    ]
    return "\n".join((HEAD, *lines, ""))
