"""Jobs that run beside a service."""

import asyncio
from threading import Event

import pytest

from oidc.plumbing.background import run_uninterrupted


def test_a_task_that_is_cancelled_ends_after_its_work() -> None:
    """The database is closed next."""
    began, may_end, done = Event(), Event(), []

    def work() -> None:
        began.set()
        may_end.wait(20)
        done.append(1)

    async def scene() -> None:
        task = asyncio.create_task(run_uninterrupted(work))
        await asyncio.to_thread(began.wait, 20)
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, may_end.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done == [1]

    asyncio.run(scene())
