"""Background jobs: retention, pending erasures, and maintenance of the gallery."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from typing import Final

from mobile_api.account.deletion import DeletionService
from mobile_api.account.rules import JUST_NOW
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.limits import DAY
from mobile_api.storage.database import Database
from mobile_api.types import Clock
from oidc.plumbing.background import background, repeat
from oidc.plumbing.patience import JOBS, patience

LOGGER: Final = logging.getLogger("thenar.mobile")

INTERVAL_S: Final = 15.0
"""Pause between rounds: how long past its deadline a pending template may remain."""

VERIFY_INTERVAL_S: Final = 24 * 3600.0
"""Pause between integrity checks of the gallery's files."""

AUDIT_RETENTION: Final = timedelta(days=400)
"""Default retention of the audit log."""

ERASURES_INTERVAL_S: Final = 5.0
"""Pause between checks for pending erasures."""

PUSH_INTERVAL_S: Final = 5.0
"""Pause between rounds of messages."""

SYNC_INTERVAL_S: Final = 2.0
"""Pause between gallery syncs: a search reads by itself what changed since."""


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

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the jobs while the context lasts."""
        work = [repeat(self._compact, self._erasure_lag_s / 4)]
        for gallery in self._galleries:
            work.append(repeat(partial(self._sync, gallery), SYNC_INTERVAL_S))
            work.append(repeat(partial(self._verify, gallery), VERIFY_INTERVAL_S))
        return background(*work)

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

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the jobs while the context lasts."""
        pending_erasures = self._deletion.finish_pending_erasures
        return background(
            repeat(self.run_once, INTERVAL_S), repeat(pending_erasures, ERASURES_INTERVAL_S)
        )
