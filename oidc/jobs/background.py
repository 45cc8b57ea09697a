"""Runs the provider's background jobs while the app serves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from oidc.plumbing.uninterrupted import run_uninterrupted
from oidc.storage.change_notifications import LoginNotifications
from oidc.storage.database import Database

LOGGER: Final = logging.getLogger(__name__)


def lifespan_with_jobs(
    database: Database,
    *jobs: tuple[Callable[[], object], float],
    listener: LoginNotifications | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return a lifespan that runs jobs at intervals in seconds and closes the database.

    Meanwhile ``listener`` receives change notifications, if there is one.
    """

    async def work(job: Callable[[], object], pause_s: float) -> None:
        while True:
            try:
                await run_uninterrupted(job)
            except Exception:  # any error: the job must run again
                LOGGER.exception("a background job failed; will retry")
            await asyncio.sleep(pause_s)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(work(job, pause_s)) for job, pause_s in jobs]
        if listener is not None:
            tasks.append(loop.create_task(listener.listen()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            # A job finishes first.
            await asyncio.gather(*tasks, return_exceptions=True)
            await run_in_threadpool(database.close)

    return lifespan
