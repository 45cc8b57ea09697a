"""Background jobs: retention, pending erasures, and maintenance of the gallery."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from engine.errors import GalleryFault
from mobile_api.account.deletion import DeletionService
from mobile_api.account.rules import JUST_NOW
from mobile_api.errors import MobileError
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.limits import DAY
from mobile_api.observability.logging import ErrorType
from mobile_api.storage.database import Database
from mobile_api.types import Clock
from oidc.errors import OidcError
from oidc.plumbing.patience import JOBS, patience
from oidc.plumbing.uninterrupted import run_uninterrupted

LOGGER: Final = logging.getLogger("thenar.mobile")

INTERVAL_S: Final = 15.0
"""Pause between rounds: how long past its deadline a pending template may remain."""

VERIFY_INTERVAL_S: Final = 24 * 3600.0
"""Pause between integrity checks of the gallery's files."""

AUDIT_RETENTION: Final = timedelta(days=400)
"""Default retention of the audit log."""

ERASURES_INTERVAL_S: Final = 1.0
"""Pause between checks for pending erasures."""

PUSH_INTERVAL_S: Final = 1.0
"""Pause between rounds of messages."""

SYNC_INTERVAL_S: Final = 0.25
"""Pause between gallery syncs: how far a gallery may lag."""


class GalleryJobs:
    """Syncs the galleries and removes erased data from files.

    Args:
        galleries: of this process.
        compact: truncates the databases' logs.
        erasure_lag_s: how long files may contain erased data.
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
        """Run the jobs while the context lasts."""
        job: list[tuple[Callable[[], None], float]] = [(self._compact, self._erasure_lag_s / 4)]
        for gallery in self._galleries:
            job.append((partial(self._sync, gallery), SYNC_INTERVAL_S))
            job.append((partial(self._verify, gallery), VERIFY_INTERVAL_S))
        async with _running(*(_repeat("gallery maintenance", *each) for each in job)):
            yield

    def _sync(self, gallery: GalleryReplica) -> None:
        gallery.maintain(self._erasure_lag_s)

    def _verify(self, gallery: GalleryReplica) -> None:
        faults = gallery.verify()
        if faults:
            LOGGER.warning("repaired %d damaged parts of the gallery's files", faults)


class RetentionJobs:
    """Deletes what is past its retention and finishes interrupted deletions."""

    def __init__(
        self,
        database: Database,
        deletion: DeletionService,
        clock: Clock,
        audit_kept: timedelta = AUDIT_RETENTION,
        passkeys_fresh: timedelta = JUST_NOW,
    ) -> None:
        self._database, self._deletion, self._clock = database, deletion, clock
        self._audit_kept, self._passkeys_fresh = audit_kept, passkeys_fresh

    @patience(JOBS)
    def run_once(self) -> None:
        """Run one round."""
        now = self._clock()
        with self._database.write() as transaction:
            transaction.retention.purge(now)
            transaction.audit.purge(now - self._audit_kept)
            transaction.retention.round_times(now, now - self._passkeys_fresh)
        with self._database.write() as transaction:
            transaction.devices.purge(now - DAY, now)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the jobs while the context lasts."""
        pending_erasures = self._deletion.finish_pending_erasures
        async with _running(
            _repeat("housekeeping", self.run_once, INTERVAL_S),
            _repeat("housekeeping", pending_erasures, ERASURES_INTERVAL_S),
        ):
            yield


@asynccontextmanager
async def pushing(deliver: Callable[[], None]) -> AsyncIterator[None]:
    """Send messages of Web Push while the context lasts."""
    async with _running(_repeat("push", deliver, PUSH_INTERVAL_S)):
        yield


async def _repeat(name: str, job: Callable[[], None], pause_s: float) -> None:
    """Run a job again and again; log failures and retry."""
    while True:
        try:
            await run_uninterrupted(job)
        except (SQLAlchemyError, GalleryFault, MobileError, OidcError) as fault:
            LOGGER.warning("%s failed: %s", name, ErrorType(fault))
        await asyncio.sleep(pause_s)


@asynccontextmanager
async def _running(*job: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run tasks while the context lasts."""
    tasks = [asyncio.create_task(each) for each in job]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
