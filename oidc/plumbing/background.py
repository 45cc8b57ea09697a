"""Work of a process beside its requests, in threads.

A job looks now and then for what other processes changed and for what is due. No request waits
for it: a request reads the database itself.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Final

from starlette.concurrency import run_in_threadpool

LOGGER: Final = logging.getLogger(__name__)


async def run_uninterrupted(work: Callable[[], object]) -> None:
    """Run in a thread; a task that is cancelled ends when the work has.

    Else a service would close its database while a thread goes on, which opens it again.
    """
    running = asyncio.ensure_future(run_in_threadpool(work))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.gather(running, return_exceptions=True)
        raise


async def repeat(job: Callable[[], object], pause_s: float) -> None:
    """Run a job again and again; log failures and retry."""
    while True:
        try:
            await run_uninterrupted(job)
        except Exception as fault:  # any error: the job must run again
            method = getattr(job, "func", job)  # if it is a partial
            name = getattr(method, "__func__", method)
            LOGGER.warning("the job %s failed; will retry", name, exc_info=fault)
        await asyncio.sleep(pause_s)


@asynccontextmanager
async def background(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run tasks while the context lasts; a job that runs at its end finishes first."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
