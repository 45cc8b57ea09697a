"""The claims of a level in tokens: ``acr``, ``amr`` and the audience.

``acr`` are absolute URIs, since no registered level describes palms. OpenID Connect Core §2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import MappingProxyType
from typing import Final

from oidc.types import Level

_METHODS: Final = MappingProxyType(
    {
        Level.PALM_AND_PHONE: ("user", "swk", "mfa"),
        Level.PALM_AT_STATION: ("user",),
        Level.PALM: ("user",),
    }
)
"""RFC 8176 §2: the palm, and the key of a device that the account trusts."""

_PLAYED: Final = MappingProxyType(
    {
        Level.PALM_AND_PHONE: Level.SANDBOX,
        Level.PALM_AT_STATION: Level.SANDBOX_STATION,
        Level.PALM: Level.SANDBOX_PALM,
    }
)

LEVELS: Final = tuple(_METHODS)
"""The levels of real people, best first."""


def played(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Return as what sandbox clients play these levels."""
    return tuple(_PLAYED[each] for each in levels)


def is_scripted(level: Level) -> bool:
    """Return whether a sign-in was a sandbox client's script."""
    return level not in _METHODS


def granted(shown: Level, accepted: Collection[Level]) -> Level | None:
    """Return the best accepted level that a sign-in reached, or None.

    Every other level includes a palm. A device is no station, and a station no device.
    """
    least = Level.SANDBOX_PALM if is_scripted(shown) else Level.PALM
    return next((each for each in (shown, least) if each in accepted), None)


def acr_of(issuer: str, level: Level) -> str:
    """Return the ``acr`` of a level."""
    return f"{issuer}/acr/{level}"


def amr_of(level: Level) -> tuple[str, ...]:
    """Return the ``amr`` of a level."""
    return _METHODS.get(level, ("sandbox",))


def audience_of(resource: str, level: Level) -> str:
    """Return the audience of access tokens: real services refuse scripted ones. RFC 9068 §4."""
    return f"{resource}/sandbox" if is_scripted(level) else resource
