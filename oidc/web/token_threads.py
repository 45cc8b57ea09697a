"""The few threads in which requests with tokens wait for a disk or a database.

In the forty threads of other requests they would spend half their time waiting for the
interpreter.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 8
"""Also the most writes that share a commit."""

_threads: Final = ThreadPoolExecutor(THREADS, "thenar-token")


async def run_in_token_thread(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Run work in one of the threads, in the caller's context: traces show its statements."""
    run = copy_context().run
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, lambda: run(work, *given, **named))
