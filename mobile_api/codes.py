"""Codes of 120 random bits that a phone shows its owner; only digests are stored.

A deletion code lets the operator delete an account whose owner cannot show the palm: accounts
have no names to look up. A recovery code makes a new phone trusted. A dispute code names a palm
that another account has enrolled. An enrolment code makes a browser a station. A motions code
lets a person leave out motions of a challenge.
"""

import base64
import hashlib
import secrets
from datetime import timedelta
from typing import Final, Literal

from mobile_api.errors import NoSuchCode

CODE_BYTES: Final = 15
"""120 bits: 24 letters and digits in six groups of four."""

MOTIONS_CODE_LIFETIME: Final = timedelta(days=7)

Kind = Literal["deletion", "recovery", "dispute", "station", "motions"]
"""What a code is for: a digest is of one kind only."""

_GROUP: Final = 4
_LENGTH: Final = 24


def new_code() -> str:
    """Return a new code: A–Z and 2–7 in groups."""
    text = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode("ascii")
    return "-".join(text[start : start + _GROUP] for start in range(0, _LENGTH, _GROUP))


def digest_of(kind: Kind, code: str) -> bytes:
    """Return the digest of a code of this kind, however typed, or raise NoSuchCode."""
    plain = "".join(code.replace("-", " ").split()).upper()
    plain = plain.replace("0", "O").replace("1", "I").replace("8", "B")
    if len(plain) != _LENGTH or not plain.isascii() or not plain.isalnum():
        raise NoSuchCode("this is not a code of this service")
    return hashlib.sha256(f"thenar {kind} code {plain}".encode("ascii")).digest()
