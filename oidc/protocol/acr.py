"""The two ``acr`` levels, which follow from ``amr``.

Absolute URIs, since no registered level describes palms. OpenID Connect Core §2, RFC 8176.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

PALM_ALONE: Final = ("user",)
"""``amr`` of a palm that a phone sent which its owner does not trust yet."""


def has_trusted_phone(amr: Sequence[str]) -> bool:
    """Return whether a trusted phone was the second factor."""
    return "mfa" in amr


def acr_values(issuer: str) -> tuple[str, str]:
    """Return the ``acr`` of a palm alone, and of a palm with a trusted phone."""
    return f"{issuer}/acr/palm", f"{issuer}/acr/palm-and-phone"


def acr_of(issuer: str, amr: Sequence[str]) -> str:
    """Return the ``acr`` of an authentication."""
    return acr_values(issuer)[has_trusted_phone(amr)]
