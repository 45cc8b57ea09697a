"""Forgetting in time: nonces, pending templates, attempts, old steps of a history."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from engine.errors import GalleryFault
from mobile_api.account.deletion import DeletionService
from mobile_api.errors import MobileError
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.limits.attempts import WINDOW
from mobile_api.observability.logging import ErrorType
from mobile_api.storage.transaction import Storage
from mobile_api.types import Clock
from oidc.errors import OidcError

LOGGER: Final = logging.getLogger("thenar.mobile")

INTERVAL_S: Final = 15.0
"""Pause between two rounds: how much longer than its deadline a pending template may lie."""

VERIFY_INTERVAL_S: Final = 24 * 3600.0
"""Pause between two readings of all files of the gallery."""

HISTORY_RETENTION: Final = timedelta(hours=24)
"""How long steps of the gallery's history are kept; a process that slept longer rebuilds."""


AUDIT_RETENTION: Final = timedelta(days=400)
"""How long the audit log is kept if nobody says otherwise."""

ERASURES_INTERVAL_S: Final = 1.0
"""Pause between two looks at who was erased and has yet to be listed and forgotten: whoever
deletes by a code waits for it."""

CLOCK_SKEW: Final = timedelta(minutes=5)
"""How long a used nonce is remembered beyond its end: another process's clock may be behind."""


SYNC_INTERVAL_S: Final = 0.25
"""Pause between two looks at the database's history: how far a gallery lags behind."""


class GalleryJobs:
    """Keeps the gallery close to the database, and its files free of what was erased.

    Args:
        galleries: of this process.
        compact: lets the database's files forget what was deleted.
        erasure_lag_s: how long files may hold what was erased.
    """

    def __init__(
        self,
        galleries: Sequence[GalleryReplica],
        compact: Callable[[], None],
        erasure_lag_s: float,
    ) -> None:
        self._galleries, self._compact = galleries, compact
        self._erasure_lag_s = erasure_lag_s

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the database, for as long as the context lasts; read all files once."""
        job: list[tuple[Callable[[], None], float]] = [(self._compact, self._erasure_lag_s / 4)]
        for gallery in self._galleries:
            job.append((partial(self._sync, gallery), SYNC_INTERVAL_S))
            job.append((partial(self._verify, gallery), VERIFY_INTERVAL_S))
        async with _running(*(_repeat("keeping the gallery", *each) for each in job)):
            yield

    def _sync(self, gallery: GalleryReplica) -> None:
        gallery.maintain(self._erasure_lag_s)

    def _verify(self, gallery: GalleryReplica) -> None:
        faults = gallery.verify()
        if faults:
            LOGGER.warning("%d parts of the gallery's files were damaged: repaired", faults)


class RetentionJobs:
    """Forgets what is due, and finishes deletions that were cut short."""

    def __init__(
        self,
        storage: Storage,
        deletion: DeletionService,
        clock: Clock,
        audit_kept: timedelta = AUDIT_RETENTION,
    ) -> None:
        self._storage, self._deletion, self._clock = storage, deletion, clock
        self._audit_kept = audit_kept

    def tidy(self) -> None:
        """Do one round."""
        now = self._clock()
        with self._storage.writing() as transaction:
            transaction.nonces.purge(now - CLOCK_SKEW)
            transaction.enrolments.purge(now)
            transaction.attempts.purge(now - WINDOW)
            transaction.history.purge(now - HISTORY_RETENTION)
            transaction.audit.purge(now - self._audit_kept)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do a round now and then, for as long as the context lasts."""
        pending_erasures = self._deletion.finish_pending_erasures
        async with _running(
            _repeat("housekeeping", self.tidy, INTERVAL_S),
            _repeat("housekeeping", pending_erasures, ERASURES_INTERVAL_S),
        ):
            yield


async def _repeat(name: str, job: Callable[[], None], pause_s: float) -> None:
    """Do something over and over; what fails is said and tried again."""
    while True:
        try:
            await run_in_threadpool(job)
        except (SQLAlchemyError, GalleryFault, MobileError, OidcError) as fault:
            LOGGER.warning("%s failed: %s", name, ErrorType(fault))
        await asyncio.sleep(pause_s)


@asynccontextmanager
async def _running(*job: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Go on with work for as long as the context lasts."""
    tasks = [asyncio.create_task(each) for each in job]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
