"""Rate limits of clients, counted in the memory of each process.

A public client's calls count by client and address, as do failures, so that only that address
is blocked. Logins count by client, with a limit far above an honest day.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final
from zlib import crc32

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from oidc.errors import TooManyCalls
from oidc.protocol.client_address import client_network
from oidc.protocol.identifiers import is_identifier
from oidc.types import Authentication

if TYPE_CHECKING:
    from oidc.types import Client, ClientLimits

NAMES_COUNTED: Final = 256
"""Buckets of client IDs for each address: bounds the memory."""


class ClientRateLimits:
    """Counts the calls of clients. Thread-safe."""

    def __init__(self, limits: ClientLimits) -> None:
        self._requests = _MinuteCounter(limits.requests)
        self._logins = _MinuteCounter(limits.logins)
        self._failures = _MinuteCounter(limits.failures)

    def count_request(self, client: Client, address: str | None) -> None:
        """Count a call of an authenticated or public client. Raises ``TooManyCalls``."""
        is_proved = client.authentication is not Authentication.NONE
        key = client.client_id if is_proved else f"{client.client_id} {client_network(address)}"
        self._requests.add(key)

    def count_login(self, client_id: str) -> None:
        """Count a new login. Raises ``TooManyCalls``."""
        self._logins.add(client_id)

    def require_attempt(self, client_id: str, address: str | None) -> None:
        """Refuse after too many failures. Raises ``TooManyCalls``."""
        key = _failure_key(client_id, address)
        if key is not None:
            self._failures.require(key)

    def count_failure(self, client_id: str, address: str | None) -> None:
        """Count wrong credentials."""
        key = _failure_key(client_id, address)
        if key is not None:
            self._failures.note(key)


def _failure_key(client_id: str, address: str | None) -> str | None:
    """Return what wrong credentials count for, or None.

    Strangers choose the client ID, so it is hashed into a bucket.
    """
    caller = client_network(address)
    if caller is None or not is_identifier(client_id):
        return None
    return f"{crc32(client_id.encode()) % NAMES_COUNTED} {caller}"


class _MinuteCounter:
    """Counts events of the last minute, by key."""

    def __init__(self, most: int) -> None:
        self._item = RateLimitItemPerMinute(most) if most else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def add(self, key: str) -> None:
        """Count one more. Raises ``TooManyCalls``."""
        if self._item is not None and not self._limiter.hit(self._item, key):
            raise self._fault(self._item, key)

    def require(self, key: str) -> None:
        """Check that there is room. Raises ``TooManyCalls``."""
        if self._item is not None and not self._limiter.test(self._item, key):
            raise self._fault(self._item, key)

    def note(self, key: str) -> None:
        """Count one more, room or not."""
        if self._item is not None:
            self._limiter.hit(self._item, key)

    def _fault(self, item: RateLimitItemPerMinute, key: str) -> TooManyCalls:
        end = self._limiter.get_window_stats(item, key).reset_time
        return TooManyCalls(max(1, math.ceil(end - time.time())))  # noqa: TID251 -- its clock
