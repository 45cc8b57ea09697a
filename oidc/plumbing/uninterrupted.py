"""Runs work in a thread to its end, also for a task that is cancelled meanwhile."""

import asyncio
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool


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
