"""Random identifiers and secrets, and the digests that are stored."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Final

_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def new_secret() -> str:
    """Return 256 random bits, base64url without padding (43 characters)."""
    return secrets.token_urlsafe(32)


def new_identifier() -> str:
    """Return 128 random bits in hexadecimal, never like a command-line option."""
    return secrets.token_hex(16)


def digest_of(secret: str) -> bytes:
    """Return the SHA-256 of a random secret. OWASP ASVS 5.0, 6.5.2.

    Defined for every string, lone surrogates included.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def is_identifier(text: str) -> bool:
    """Return whether this could be one of our identifiers."""
    return _IDENTIFIER.fullmatch(text) is not None
