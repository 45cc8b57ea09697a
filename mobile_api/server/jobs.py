"""Background jobs: retention, pending erasures, and maintenance of the gallery."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class GalleryJobs:
    """Syncs the galleries and removes erased data from files.

    Attributes:
        galleries: of this process.
        compact: truncates the databases' logs.
        erasure_lag_s: how long files may contain erased data.
    """

    galleries: Sequence[GalleryReplica]
    compact: Callable[[], None]
    erasure_lag_s: float

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the jobs while the context lasts."""
        work = [repeat(self.compact, self.erasure_lag_s / 4)]
        for gallery in self.galleries:
            work.append(repeat(partial(self._sync, gallery), SYNC_INTERVAL_S))
            work.append(repeat(partial(self._verify, gallery), VERIFY_INTERVAL_S))
        return background(*work)

    def _sync(self, gallery: GalleryReplica) -> None:
        gallery.maintain(self.erasure_lag_s)

    def _verify(self, gallery: GalleryReplica) -> None:
        faults = gallery.verify()
        if faults:
            LOGGER.warning("repaired %d damaged parts of the gallery's files", faults)


@dataclass(frozen=True, slots=True)
class RetentionJobs:
    """Deletes what is past its retention and finishes interrupted deletions."""

    database: Database
    deletion: DeletionService
    clock: Clock
    audit_kept: timedelta = AUDIT_RETENTION
    passkeys_fresh: timedelta = JUST_NOW

    @patience(JOBS)
    def run_once(self) -> None:
        """Run one round."""
        now = self.clock()
        with self.database.write() as transaction:
            transaction.retention.purge(now)
            transaction.audit.purge(now - self.audit_kept)
            transaction.retention.round_times(now, now - self.passkeys_fresh)
        with self.database.write() as transaction:
            transaction.devices.purge(now - DAY, now)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the jobs while the context lasts."""
        pending_erasures = self.deletion.finish_pending_erasures
        return background(
            repeat(self.run_once, INTERVAL_S), repeat(pending_erasures, ERASURES_INTERVAL_S)
        )
