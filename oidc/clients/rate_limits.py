"""How much one client may ask for: counted in memory, by each process for itself.

What a client proved counts for that client; what a public client, which proves nothing, asks
for counts for client and address. Logins, which anybody may begin in a client's name, count for
the client alone: that limit lies far above an honest day, but many addresses together reach it.
Credentials that failed count by client and address: after too many, that address is not even
judged for a while, and nobody else is kept out.
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
"""How many clients an address's wrong credentials are told apart by."""


class ClientRateLimits:
    """Counts what clients ask for. Safe in several threads.

    Args:
        limits: how much is too much.
    """

    def __init__(self, limits: ClientLimits) -> None:
        self._requests = _MinuteCounter(limits.requests)
        self._logins = _MinuteCounter(limits.logins)
        self._failures = _MinuteCounter(limits.failures)

    def count_request(self, client: Client, address: str | None) -> None:
        """Count a request of a client that proved itself, or has nothing to prove itself with.

        Raises:
            TooManyCalls: it made too many.
        """
        is_proved = client.authentication is not Authentication.NONE
        whom = (
            client.client_id if is_proved else f"{client.client_id} {client_network(address)}"
        )
        self._requests.add(whom)

    def count_login(self, client_id: str) -> None:
        """Count a login that is begun.

        Raises:
            TooManyCalls: too many are begun in this name.
        """
        self._logins.add(client_id)

    def require_attempt(self, client_id: str, address: str | None) -> None:
        """Ask whether credentials from this address are judged.

        Raises:
            TooManyCalls: too many were wrong.
        """
        guesser = _failure_key(client_id, address)
        if guesser is not None:
            self._failures.require(guesser)

    def count_failure(self, client_id: str, address: str | None) -> None:
        """Count credentials that were wrong. This machine's own addresses stand for nobody."""
        guesser = _failure_key(client_id, address)
        if guesser is not None:
            self._failures.note(guesser)


def _failure_key(client_id: str, address: str | None) -> str | None:
    """Return whom wrong credentials are counted for; None: for nobody.

    What can be no client's name is not remembered: strangers choose it, as long as a form. Nor
    is a name itself: an address that invents them takes no more room than one that does not.
    """
    caller = client_network(address)
    if caller is None or not is_identifier(client_id):
        return None
    return f"{crc32(client_id.encode()) % NAMES_COUNTED} {caller}"


class _MinuteCounter:
    """How often something happened within the last minute, for each key."""

    def __init__(self, most: int) -> None:
        self._item = RateLimitItemPerMinute(most) if most else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def add(self, key: str) -> None:
        """Count one more. Raises ``TooManyCalls``."""
        if self._item is not None and not self._limiter.hit(self._item, key):
            raise self._fault(self._item, key)

    def require(self, key: str) -> None:
        """Ask whether there is room for one more. Raises ``TooManyCalls``."""
        if self._item is not None and not self._limiter.test(self._item, key):
            raise self._fault(self._item, key)

    def note(self, key: str) -> None:
        """Count one more, room or not."""
        if self._item is not None:
            self._limiter.hit(self._item, key)

    def _fault(self, item: RateLimitItemPerMinute, key: str) -> TooManyCalls:
        end = self._limiter.get_window_stats(item, key).reset_time
        return TooManyCalls(max(1, math.ceil(end - time.time())))  # noqa: TID251 -- its clock
