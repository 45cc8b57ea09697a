"""Browser and system names from a User-Agent, for display only. RFC 9110 §10.1.5.

Any program can send any User-Agent, so nothing is decided by it.
"""

from __future__ import annotations

from typing import Final

_BROWSERS: Final = (
    ("SamsungBrowser/", "Samsung Internet"),
    ("OPR/", "Opera"),
    ("Edg", "Edge"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chrome"),
    ("Safari/", "Safari"),
)
"""First match wins: most of them also say Chrome and Safari."""

_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)

_HANDHELD: Final = frozenset({"Android", "iOS"})


def browser_of(user_agent: str) -> str | None:
    """Return the browser's family, or None."""
    return _first(_BROWSERS, user_agent)


def system_of(user_agent: str) -> str | None:
    """Return the operating system's family, or None."""
    return _first(_SYSTEMS, user_agent)


def is_handheld(user_agent: str) -> bool:
    """Return whether it looks like a phone or tablet."""
    return system_of(user_agent) in _HANDHELD


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for mark, name in table if mark in text), None)
