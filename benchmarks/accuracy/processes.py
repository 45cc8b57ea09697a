"""Work spread over processes, its results in order; or done here, for one process.

Only a few results wait at a time, so that memory does not grow with the work.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Job = TypeVar("Job")
Result = TypeVar("Result")

WAITING: Final = 3
"""Jobs handed out for each process: one in work, the others so that it never waits."""


def in_order(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    *,
    workers: int,
    prepare: Callable[..., None],
    prepared: tuple[object, ...],
) -> Iterator[Result]:
    """Yield what ``work`` makes of each job, in the order of the jobs.

    Args:
        work: a function of a module.
        jobs: what it is given.
        workers: how many processes; 1 works in this one.
        prepare: called once in each process, before its first job.
        prepared: what it is called with.
    """
    if workers == 1:
        prepare(*prepared)
        yield from map(work, jobs)
        return
    # Forking a process that runs threads (OpenCV, onnxruntime) may hang.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, prepare, prepared) as pool:
        pending: deque[Future[Result]] = deque()
        for job in jobs:
            pending.append(pool.submit(work, job))
            if len(pending) > WAITING * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
