"""Runs work in threads to its end, also for a task that is cancelled meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.concurrency import run_in_threadpool

Job = tuple[Callable[[], object], float]
"""Work that blocks, and the pause after each time in seconds."""


@asynccontextmanager
async def repeating(*jobs: Job, failed: Callable[[Exception], None]) -> AsyncIterator[None]:
    """Run jobs again and again while the context lasts; at its end they finish first.

    ``failed`` is called with any error: the job runs again.
    """
    tasks = [asyncio.create_task(_repeat(*each, failed)) for each in jobs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeat(
    work: Callable[[], object], pause_s: float, failed: Callable[[Exception], None]
) -> None:
    while True:
        try:
            await run_uninterrupted(work)
        except Exception as fault:
            failed(fault)
        await asyncio.sleep(pause_s)


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
