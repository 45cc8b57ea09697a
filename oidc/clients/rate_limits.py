"""Rate limits of clients.

A public client's calls count by client and address, as do failures, so that only that address
is blocked. Logins count by client, with a limit far above an honest day.
"""

from pathlib import Path
from typing import Final
from zlib import crc32

from oidc.client import Authentication, Client, ClientLimits
from oidc.errors import TooManyCalls
from oidc.plumbing.client_address import client_network
from oidc.plumbing.rate_limit import MINUTE_S, RateLimit
from oidc.protocol import is_identifier

NAMES_COUNTED: Final = 256
"""Buckets of client IDs for each address: bounds the memory."""


class ClientRateLimits:
    """Counts the calls of clients. Thread-safe."""

    def __init__(self, limits: ClientLimits, directory: Path | None = None) -> None:
        self._requests = RateLimit(limits.requests, MINUTE_S, directory, "requests")
        self._logins = RateLimit(limits.logins, MINUTE_S, directory, "logins")
        self._failures = RateLimit(limits.failures, MINUTE_S, directory, "failures")

    def count_request(self, client: Client, address: str | None) -> None:
        """Count a call of an authenticated or public client. Raises ``TooManyCalls``."""
        is_proved = client.authentication is not Authentication.NONE
        key = client.client_id if is_proved else f"{client.client_id} {client_network(address)}"
        _require_free(self._requests.count(key))

    def count_login(self, client_id: str) -> None:
        """Count a new login. Raises ``TooManyCalls``."""
        _require_free(self._logins.count(client_id))

    def require_attempt(self, client_id: str, address: str | None) -> None:
        """Refuse after too many failures. Raises ``TooManyCalls``."""
        key = _failure_key(client_id, address)
        wait_s = 0 if key is None else self._failures.wait_s(key)
        if wait_s:
            raise TooManyCalls(wait_s, "wrong credentials from this address")

    def count_failure(self, client_id: str, address: str | None) -> None:
        """Count wrong credentials."""
        key = _failure_key(client_id, address)
        if key is not None:
            self._failures.count(key)


def _failure_key(client_id: str, address: str | None) -> str | None:
    """Return what wrong credentials count for, or None.

    Unauthenticated callers choose the client ID, so it is hashed into a bucket.
    """
    caller = client_network(address)
    if caller is None or not is_identifier(client_id):
        return None
    return f"{crc32(client_id.encode()) % NAMES_COUNTED} {caller}"


def _require_free(wait_s: int) -> None:
    if wait_s:
        raise TooManyCalls(wait_s)
