"""Several things that start together, and a wait for another thread or process."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import monotonic, sleep
from typing import Any


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do several things that start together; return what each returned."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def wait_until(happened: Callable[[], bool]) -> None:
    """Look until it happened, however busy the machine is, a minute at most."""
    end = monotonic() + 60
    while not happened():
        assert monotonic() < end, "it did not happen"
        sleep(0.02)
