"""Browsers in which an account finished a login before.

A browser keeps a random secret; its digest is the mark. A digest of mark and account is stored:
without the browser's secret an account's browsers cannot be found.
"""

import hashlib
from datetime import datetime, timedelta

from oidc.storage.database import Stores
from oidc.types import AccountId


def is_known(stores: Stores, mark: bytes | None, account: AccountId, now: datetime) -> bool:
    """Return whether this account finished a login in this browser."""
    return mark is not None and stores.known_browsers.is_known(_digest(mark, account), now)


def add(
    stores: Stores, mark: bytes | None, account: AccountId, now: datetime, lifetime_s: int
) -> None:
    """Remember this browser for ``lifetime_s``; 0: never."""
    if mark is not None and lifetime_s:
        expires_at = now + timedelta(seconds=lifetime_s)
        stores.known_browsers.add(_digest(mark, account), expires_at)


def remove(stores: Stores, mark: bytes | None, account: AccountId) -> None:
    """Delete a browser that is another account's."""
    if mark is not None:
        stores.known_browsers.remove(_digest(mark, account))


def _digest(mark: bytes, account: AccountId) -> bytes:
    return hashlib.sha256(b"thenar known browser" + mark + account.bytes).digest()
