"""Work in several processes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_processes(count: int, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield the results in order; one process is this one. ``work`` is of a module."""
    if count == 1:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items)
