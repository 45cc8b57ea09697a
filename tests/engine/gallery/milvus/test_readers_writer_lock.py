"""lock: readers together, writers alone, and neither waits for ever."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.gallery.milvus.gallery import ReadersWriterLock

PATIENCE_S = 30


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


def test_a_failure_inside_lets_go():
    """One failed request must not lock the gallery for all others."""
    lock = ReadersWriterLock()

    for held in (lock.reading, lock.writing):
        with pytest.raises(KeyError), held():
            raise KeyError
    with lock.writing():
        pass
