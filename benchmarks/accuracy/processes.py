"""Run jobs in processes and return results in order, few at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

WAITING: Final = 3
"""Queued jobs for each process: one runs, the others keep it busy."""


def _nothing() -> None:
    """Prepare nothing."""


def in_order(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    *,
    workers: int,
    prepare: Callable[..., None] = _nothing,
    prepared: tuple[object, ...] = (),
) -> Iterator[Result]:
    """Yield the result of each job, in order."""
    if workers == 1:
        prepare(*prepared)
        yield from map(work, jobs)
        return
    # Forking a process that runs threads (OpenCV, onnxruntime) may hang.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, prepare, prepared) as pool:
        pending: deque[Future[Result]] = deque()
        try:
            for job in jobs:
                pending.append(pool.submit(work, job))
                if len(pending) > WAITING * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            # After a fault, do not wait for the queued work.
            pool.shutdown(wait=False, cancel_futures=True)
