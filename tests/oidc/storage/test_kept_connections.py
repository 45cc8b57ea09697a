"""Connections to a file that stay open between transactions, and those that do not."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import text

from oidc.plumbing.database import MOST_KEPT
from oidc.storage.database import Database

READERS = 60


def test_failing_readers_and_writers_keep_no_caller_out(database: Database) -> None:
    """Neither at once, in whatever number, nor afterwards by connections that stay open."""
    together = Barrier(READERS + 1, timeout=20)

    def read() -> None:
        with database.read() as stores:
            stores.clients.all()
            together.wait()
            together.wait()

    with ThreadPoolExecutor(READERS) as pool:
        reading = [pool.submit(read) for _ in range(READERS)]
        together.wait()
        for _ in range(MOST_KEPT + 1):
            with pytest.raises(ValueError, match="refused"), database.write() as stores:
                raise ValueError("refused")
        together.wait()
        for each in reading:
            each.result()

    assert len(database._readers._idle) == MOST_KEPT
    with database.write() as stores:
        stores.connection.execute(text("SELECT 1"))
    with database.read_in_transaction() as stores:
        assert stores.clients.all() == []
    database.compact()
