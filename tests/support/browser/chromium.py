"""Debian's Chromium without a screen."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

PROGRAM: Final = "/usr/bin/chromium"

WAIT_MS: Final = 90_000
"""For an event: a busy machine needs half a minute to get the networks ready."""


@contextmanager
def open_chromium(*flags: str) -> Iterator[Browser]:
    """Start it; skip the test where it is not installed."""
    if shutil.which(PROGRAM) is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=[*FLAGS, *flags])
        yield browser
        browser.close()
