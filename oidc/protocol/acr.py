"""The ``acr`` levels, which follow from ``amr``.

Absolute URIs, since no registered level describes palms. OpenID Connect Core §2, RFC 8176.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

PALM_ALONE: Final = ("user",)
"""``amr`` of a palm that a phone sent which its owner does not trust yet."""

SCRIPTED: Final = ("sandbox",)
"""``amr`` of a sandbox client's scripted sign-in: there was no palm and no person."""


def has_trusted_phone(amr: Sequence[str]) -> bool:
    """Return whether a trusted phone was the second factor."""
    return "mfa" in amr


def is_scripted(amr: Sequence[str]) -> bool:
    """Return whether a sign-in was a sandbox client's script."""
    return tuple(amr) == SCRIPTED


def acr_values(issuer: str) -> tuple[str, str]:
    """Return the ``acr`` of a palm alone, and of a palm with a trusted phone."""
    return f"{issuer}/acr/palm", f"{issuer}/acr/palm-and-phone"


def sandbox_acr(issuer: str) -> str:
    """Return the ``acr`` of a scripted sign-in."""
    return f"{issuer}/acr/sandbox"


def acr_of(issuer: str, amr: Sequence[str]) -> str:
    """Return the ``acr`` of an authentication."""
    if is_scripted(amr):
        return sandbox_acr(issuer)
    return acr_values(issuer)[has_trusted_phone(amr)]


def audience_of(resource: str, amr: Sequence[str]) -> str:
    """Return the audience of access tokens: real services refuse scripted ones. RFC 9068 §4."""
    return f"{resource}/sandbox" if is_scripted(amr) else resource
