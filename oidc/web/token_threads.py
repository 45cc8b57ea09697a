"""The few threads in which requests with tokens wait for a disk or a database.

In the forty threads of other requests they would spend half their time waiting for the
interpreter.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_threads: Final = ThreadPoolExecutor(8, "thenar-token")


async def run_in_token_thread(work: Callable[..., T], *given: object) -> T:
    """Run work in one of the threads, in the caller's context: traces show its statements."""
    run = partial(copy_context().run, work, *given)
    return await asyncio.get_running_loop().run_in_executor(_threads, run)
