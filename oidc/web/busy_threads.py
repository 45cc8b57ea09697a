"""A few threads for the busiest requests where the database is a server.

In forty threads they would spend half their time waiting for the interpreter.
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

THREADS: Final = 4

_threads: Final = ThreadPoolExecutor(THREADS, "thenar-busy")


async def run_busy(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Run work in one of the threads, in the caller's context: traces show its statements."""
    run = copy_context().run
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, lambda: run(work, *given, **named))
