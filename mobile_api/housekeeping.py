"""Forgetting in time: nonces, pending templates, attempts, old steps of a history."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from mobile_api.attempts import WINDOW
from mobile_api.deletion import DeletionService
from mobile_api.storage.unit import Storage
from mobile_api.types import Clock
from oidc.errors import OidcError

LOGGER: Final = logging.getLogger("thenar.mobile")

INTERVAL_S: Final = 15.0
"""Pause between two rounds: how much longer than its deadline a pending template may lie."""

HISTORY: Final = timedelta(hours=24)
"""How long steps of the gallery's history are kept; a process that slept longer rebuilds."""


CLOCKS_APART: Final = timedelta(minutes=5)
"""How long a used nonce is remembered beyond its end: another process's clock may be behind."""


class Housekeeper:
    """Forgets what is due, and finishes deletions that were cut short."""

    def __init__(self, storage: Storage, deletion: DeletionService, clock: Clock) -> None:
        self._storage, self._deletion, self._clock = storage, deletion, clock

    def tidy(self) -> None:
        """Do one round."""
        now = self._clock()
        with self._storage.writing() as unit:
            unit.nonces.purge(now - CLOCKS_APART)
            unit.enrolments.purge(now)
            unit.attempts.purge(now - WINDOW)
            unit.history.purge(now - HISTORY)
        self._deletion.finish_departures()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do a round now and then, for as long as the context lasts."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        while True:
            try:
                await run_in_threadpool(self.tidy)
            except (SQLAlchemyError, OidcError) as fault:
                LOGGER.warning("housekeeping failed: %s", type(fault).__qualname__)
            await asyncio.sleep(INTERVAL_S)
