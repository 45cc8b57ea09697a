"""What a database on a server keeps for each event loop, without a server."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

from oidc.storage.database import open_engine
from oidc.storage.sql.postgres_async import PostgresTransactions

URL = "postgresql+psycopg://nobody:x@127.0.0.1:9/none"


class EndedLoop(asyncio.SelectorEventLoop):
    """An event loop that two threads find closed in the same moment."""

    def __init__(self) -> None:
        super().__init__()
        self.meeting: threading.Barrier | None = None

    def is_closed(self) -> bool:
        """Answer both threads at once."""
        is_closed = super().is_closed()
        if is_closed and self.meeting is not None:
            with suppress(threading.BrokenBarrierError):
                self.meeting.wait(5)
        return is_closed


def test_two_threads_may_drop_the_same_ended_loop() -> None:
    """Each new loop drops those that ended."""
    engine = open_engine(URL)
    transactions: PostgresTransactions[Any] = PostgresTransactions(
        engine, lambda _connection: cast("Any", object()), cast("Any", None)
    )
    ended = EndedLoop()

    async def steps() -> bool:
        return True

    ended.run_until_complete(transactions.run(steps()))
    ended.close()
    ended.meeting = threading.Barrier(2)
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: asyncio.run(transactions.run(steps())), range(2)))
    ended.meeting = None
    engine.dispose()

    assert answers == [True, True]
