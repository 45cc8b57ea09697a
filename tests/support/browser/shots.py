"""Pictures of a page in a browser."""

import time
from typing import Any, Final

from playwright.sync_api import Error, Locator, Page

REFUSED: Final = "Unable to capture screenshot"
"""Chromium says so now and then while a page is new, and takes the picture when asked again."""
TRIES: Final = 4
PAUSE_S: Final = 0.25


def picture_of(seen: Page | Locator, **options: Any) -> bytes:
    """Return a picture as PNG; ``options`` are Playwright's."""
    for _ in range(TRIES - 1):
        try:
            return seen.screenshot(**options)
        except Error as refusal:
            if REFUSED not in refusal.message:
                raise
        time.sleep(PAUSE_S)
    return seen.screenshot(**options)
