"""Background jobs of a running provider, for as long as the app serves.

One expires logins and deletes what has exceeded its retention period
(``tests/oidc/jobs/test_retention.py`` lists the rule of every table). One writes into the
protocol database that this process runs, and what it can use.
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from os import getpid
from socket import gethostname
from threading import Event, Thread
from time import monotonic
from typing import Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from oidc.errors import ClocksDiffer, DatabaseUnavailable
from oidc.plumbing.background import background, repeat
from oidc.plumbing.database_engine import clock_lead
from oidc.plumbing.patience import JOBS, patience
from oidc.storage.change_notifications import LoginNotifications
from oidc.storage.database import Database, Stores
from oidc.storage.migrate import VERSION
from oidc.types import (
    CLOCKS_APART,
    RENEWAL_S,
    AuditEvent,
    Clock,
    LoginLimits,
    Process,
    Retention,
)

LOGGER: Final = logging.getLogger(__name__)


class SteadyClock:
    """This machine's time while the database's agrees; else that time goes on.

    With an hour more than the others, a process would end all logins and delete what is in use.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._set = clock(), monotonic()

    def __call__(self) -> datetime:
        """Return the time: aware, UTC."""
        at, since = self._set
        return at + timedelta(seconds=monotonic() - since)

    def follow(self) -> None:
        """Take the machine's time. Raises ClocksDiffer or DatabaseUnavailable."""
        with self._database.translate_unavailable():
            lead = clock_lead(self._database.engine, self._clock)
        if abs(lead) > CLOCKS_APART:
            seconds = f"{abs(lead).total_seconds():.0f} s"
            raise ClocksDiffer(f"the database's clock differs by {seconds}: run an NTP client")
        self._set = self._clock(), monotonic()


@contextmanager
def announced(
    database: Database, program: str, biometric: str, clock: Clock
) -> Iterator[SteadyClock]:
    """Renew this process's row until the end, which closes the database; give its clock.

    Called before the start checks the databases: a contraction sees this process, or the check
    sees the contraction. Raises ClocksDiffer.
    """
    ended, steady = Event(), SteadyClock(database, clock)
    own = Process(gethostname(), getpid(), program, VERSION.newest, biometric, clock())

    def put() -> None:
        with database.write() as stores:
            stores.processes.put(replace(own, seen_at=steady()))

    def tell() -> None:
        while not ended.wait(RENEWAL_S):
            try:
                put()
                steady.follow()
            except Exception as fault:  # any error: it must be tried again
                LOGGER.warning("could not renew this process", exc_info=fault)

    steady.follow()
    put()
    telling = Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield steady
    finally:
        ended.set()
        telling.join()
        with suppress(DatabaseUnavailable), database.write() as stores:
            stores.processes.delete(own)
        database.close()


LOGIN_RETENTION: Final = timedelta(hours=1)
"""How long an ended login still shows its result and can be reported."""

_TALLY_DELAY: Final = LOGIN_RETENTION + timedelta(hours=1, minutes=5)
"""Until an hour's count is final: logins are counted when they are deleted."""


@dataclass(frozen=True, slots=True)
class RetentionJobs:
    """Two jobs, run every few seconds and every hour. Blocking; safe in every process.

    Attributes:
        limits: how long an unscanned login may be renewed.
        retention: of the audit log and of sign-ins.
    """

    database: Database
    limits: LoginLimits
    retention: Retention
    clock: Clock

    @patience(JOBS)
    def sweep(self) -> None:
        """End expired logins, erasing their accounts, and delete expired rows."""
        now = self.clock()
        with self.database.write() as stores:
            stores.logins.expire(now, now - timedelta(seconds=self.limits.renewable_s))
            ended = stores.logins.purge(now - LOGIN_RETENTION)
            stores.audit.tally(ended)
            stores.login_days.add(ended)
            stores.retention.sweep(now)
            stores.tokens.erase_successors(now)

    @patience(JOBS)
    def purge(self) -> None:
        """Delete rows past their retention period and record hourly login counts."""
        now = self.clock()
        with self.database.write() as stores:
            stores.retention.purge(now, now - self.retention.sign_ins)
            stores.audit.purge(now - self.retention.audit)
            _record_login_tallies(stores, now)


def _record_login_tallies(stores: Stores, now: datetime) -> None:
    """Record how many logins of an hour ended how, without times, people or clients."""
    taken = stores.audit.pop_tallies(now - _TALLY_DELAY)
    for hour, counts in sorted(taken.items()):
        stores.audit.record(
            AuditEvent.LOGINS_ENDED, now, hour=hour.isoformat(timespec="minutes"), **counts
        )


def lifespan_with_jobs(
    close: Callable[[], object],
    *jobs: tuple[Callable[[], object], float],
    listener: LoginNotifications | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return a lifespan that runs jobs at intervals in seconds, and ``close`` at the end.

    Meanwhile ``listener`` receives change notifications, if there is one.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        work = [repeat(*job) for job in jobs]
        if listener is not None:
            work.append(listener.listen())
        try:
            async with background(*work):
                yield
        finally:
            await run_in_threadpool(close)

    return lifespan
