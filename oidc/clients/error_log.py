"""The latest errors of each client, for its developers in the portal.

Our own texts are stored and, of what was sent, the address of an unregistered redirect URI.
Anybody can cause errors in a client's name, so they are bounded.
"""

import logging
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from oidc.errors import DatabaseUnavailable
from oidc.protocol import is_identifier
from oidc.storage.database import Database, Stores
from oidc.storage.stores.clients import ClientError
from oidc.types import ClientId, Clock

KEPT: Final = 50
"""For each client."""

QUIET: Final = timedelta(seconds=10)
"""The same error is not stored again for this long."""

_A_SECOND: Final = 20
"""Errors stored per second by one process."""

_REMEMBERED: Final = 1000
_ERROR_LENGTH: Final = 64
_DESCRIPTION_LENGTH: Final = 300

_log = logging.getLogger(__name__)


def record_error(
    stores: Stores, client_id: str, endpoint: str, reported: tuple[str, str], now: datetime
) -> None:
    """Store an error of a client; unknown clients are ignored."""
    stores.client_errors.add(_entry(client_id, endpoint, *reported, now), keep=KEPT)


def _entry(
    client_id: str, endpoint: str, error: str, description: str, now: datetime
) -> ClientError:
    shown = error[:_ERROR_LENGTH], description[:_DESCRIPTION_LENGTH]
    return ClientError(ClientId(client_id), now, endpoint, *shown)


class ClientErrorLog:
    """Records errors as responses are sent; no response waits for that. Never raises."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = Lock()
        self._noted: OrderedDict[tuple[str, ...], datetime] = OrderedDict()
        self._unwritten: deque[ClientError] = deque(maxlen=_REMEMBERED)
        self._thread = ThreadPoolExecutor(1, "thenar-errors")

    def record(
        self, client_id: str | None, endpoint: str, error: str, description: str
    ) -> None:
        """Store an error that was sent to a client, within the bounds."""
        now = self._clock()
        if client_id is None or not is_identifier(client_id):
            return
        if self._is_due((client_id, endpoint, error, description.partition(":")[0]), now):
            self._unwritten.append(_entry(client_id, endpoint, error, description, now))
            self._thread.submit(self._write)

    def flush(self) -> None:
        """Return when all is stored that was recorded before."""
        self._thread.submit(self._write).result()

    def close(self) -> None:
        """Store all that was recorded. Nothing may be recorded afterwards."""
        self._thread.shutdown()

    def _write(self) -> None:
        unwritten = [self._unwritten.popleft() for _ in range(len(self._unwritten))]
        if not unwritten:
            return
        try:
            with self._database.write() as stores:
                for entry in unwritten:
                    stores.client_errors.add(entry, keep=KEPT)
        except DatabaseUnavailable:
            _log.warning("errors of clients were not stored: the database is unavailable")

    def _is_due(self, kind: tuple[str, ...], now: datetime) -> bool:
        with self._lock:
            last = self._noted.get(kind)
            if last is not None and last <= now < last + QUIET:
                return False
            if self._count_since(now - timedelta(seconds=1)) >= _A_SECOND:
                return False
            self._noted[kind] = now
            self._noted.move_to_end(kind)
            if len(self._noted) > _REMEMBERED:
                self._noted.popitem(last=False)
        return True

    def _count_since(self, since: datetime) -> int:
        count = 0
        for noted_at in reversed(self._noted.values()):
            if noted_at <= since:
                break
            count += 1
        return count
