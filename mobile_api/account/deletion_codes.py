"""Deletion codes: an operator can delete an account whose owner cannot show the palm.

Accounts have no names to look up. The phone shows its owner a code of 120 random bits, of which
only a digest is stored.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Final

from mobile_api.errors import NoSuchCode

CODE_BYTES: Final = 15
"""120 bits: 24 letters and digits in six groups of four."""

_GROUP: Final = 4
_LENGTH: Final = 24


def new_code() -> str:
    """Return a new code: A–Z and 2–7 in groups."""
    text = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode("ascii")
    return "-".join(text[start : start + _GROUP] for start in range(0, _LENGTH, _GROUP))


def digest_of(code: str) -> bytes:
    """Return the digest of a code, however typed, or raise NoSuchCode."""
    plain = "".join(code.replace("-", " ").split()).upper()
    plain = plain.replace("0", "O").replace("1", "I").replace("8", "B")
    if len(plain) != _LENGTH or not plain.isascii() or not plain.isalnum():
        raise NoSuchCode("this is not a deletion code")
    return hashlib.sha256(b"thenar deletion code " + plain.encode("ascii")).digest()
