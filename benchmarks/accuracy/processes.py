"""Run jobs in processes and return results in order."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


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
    """Yield the result of each job, in order; after a fault the other jobs are cancelled."""
    if workers == 1:
        prepare(*prepared)
        yield from map(work, jobs)
        return
    # Forking a process that runs threads (OpenCV, onnxruntime) may hang.
    with ProcessPoolExecutor(workers, get_context("spawn"), prepare, prepared) as pool:
        yield from pool.map(work, jobs)
