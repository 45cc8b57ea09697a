"""lock: readers together, writers alone, and nobody waits for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from engine.gallery.rows.readers_writer_lock import ReadersWriterLock

PATIENCE_S = 30


def test_readers_are_in_together():
    """Searches of different people do not wait for each other."""
    lock, together = ReadersWriterLock(), Barrier(3, timeout=PATIENCE_S)

    def read() -> bool:
        with lock.reading():
            together.wait()
            return True

    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(lambda _: read(), range(3)))


def test_a_writer_is_alone():
    """Neither a reader nor a second writer may see a half-made change."""
    lock, inside, rounds = ReadersWriterLock(), [], 300

    def write() -> None:
        for _ in range(rounds):
            with lock.writing():
                inside.append(1)
                assert len(inside) == 1
                inside.clear()

    def read() -> None:
        for _ in range(rounds):
            with lock.reading():
                assert inside == []

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for work in (write, read, write, read)]:
            done.result(PATIENCE_S)


def test_a_waiting_writer_goes_before_new_readers():
    """Constant logins must not keep an enrolment or an erasure waiting for ever."""
    lock, order = ReadersWriterLock(), []
    first_is_in, first_may_go = Event(), Event()

    def first_reader() -> None:
        with lock.reading():
            first_is_in.set()
            first_may_go.wait(PATIENCE_S)

    def writer() -> None:
        with lock.writing():
            order.append("writer")

    def late_reader() -> None:
        with lock.reading():
            order.append("reader")

    with ThreadPoolExecutor(3) as pool:
        pool.submit(first_reader)
        first_is_in.wait(PATIENCE_S)
        writing = pool.submit(writer)
        while not lock.has_waiting_writer:
            pass
        reading = pool.submit(late_reader)
        assert order == []
        first_may_go.set()
        writing.result(PATIENCE_S)
        reading.result(PATIENCE_S)

    assert order == ["writer", "reader"]


def test_a_failure_inside_lets_go():
    """One failed request must not lock the gallery for all others."""
    lock = ReadersWriterLock()

    for held in (lock.reading, lock.writing):
        with pytest.raises(KeyError), held():
            raise KeyError
    with lock.writing():
        pass
