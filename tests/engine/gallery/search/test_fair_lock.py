"""fair_lock: first come, first served."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from engine.gallery.rows.fair_lock import FairLock

PATIENCE_S = 30


def test_it_is_held_by_one_at_a_time():
    """Two writers at once would tear a row."""
    lock, inside = FairLock(), []

    def work() -> None:
        for _ in range(500):
            with lock.locked():
                inside.append(1)
                assert len(inside) == 1
                inside.clear()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result(PATIENCE_S)


def test_it_goes_to_whoever_waits_longest():
    """A search that insists must get its turn, however busily others change the gallery."""
    lock, order = FairLock(), []
    waiting = [Event() for _ in range(3)]

    def work(number: int) -> None:
        waiting[number].set()
        with lock.locked():
            order.append(number)

    with ThreadPoolExecutor(3) as pool:
        with lock.locked():
            jobs = []
            for number in range(3):
                jobs.append(pool.submit(work, number))
                assert waiting[number].wait(PATIENCE_S)
                while len(lock._waiting) <= number:
                    pass
        for job in jobs:
            job.result(PATIENCE_S)

    assert order == [0, 1, 2]


def test_a_failure_inside_lets_go():
    """One failed change must not stop all others."""
    lock = FairLock()
    with pytest.raises(KeyError), lock.locked():
        raise KeyError
    with lock.locked():
        pass
