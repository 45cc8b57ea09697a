"""together: several writes in one commit, each undone alone, none answered before the disk."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from oidc.errors import DatabaseUnavailable
from oidc.storage.database import Database
from oidc.storage.group_commit import MOST, GroupCommit
from oidc.storage.stores.replay import ReplayStore
from oidc.storage.transactions import Stores
from tests.support.clock import FakeClock

NOW = FakeClock()()


def using(name: str, *, then: Exception | None = None) -> Callable[[Stores], str]:
    """Return a work that uses an identifier up, and possibly fails afterwards."""

    def work(stores: Stores) -> str:
        assert stores.replay.use(name.encode(), NOW)
        if then is not None:
            raise then
        return name

    return work


def kept(database: Database) -> set[str]:
    """Return the identifiers that another connection finds."""
    with database.engine.connect() as connection:
        rows = connection.execute(text("SELECT digest FROM used_identifiers"))
        return {bytes(row[0]).decode() for row in rows}


@contextmanager
def commits(database: Database) -> Iterator[list[set[str]]]:
    """Note at each commit what was on disk before it."""
    before: list[set[str]] = []

    def note(_connection: Connection) -> None:
        before.append(kept(database))

    event.listen(database.engine, "commit", note)
    yield before
    event.remove(database.engine, "commit", note)


async def written(database: Database, *works: Callable[[Stores], Any]) -> list[Any]:
    """Do works at once; return what became of each."""
    together = GroupCommit(database)
    asked = (together.write(work) for work in works)
    return await asyncio.gather(*asked, return_exceptions=True)


def test_works_that_come_at_once_share_a_commit(database: Database) -> None:
    """Fewer waits for the disk than works."""
    names = [f"work {number}" for number in range(20)]

    with commits(database) as noted:
        results = asyncio.run(written(database, *map(using, names)))

    assert results == names
    assert kept(database) == set(names)
    assert len(noted) == 1


def test_a_work_that_fails_undoes_itself_and_nothing_else(database: Database) -> None:
    """Its neighbours before and after it are kept; it is told its own fault."""
    fault = ValueError("wrong")

    before, failed, after = asyncio.run(
        written(database, using("a"), using("b", then=fault), using("c"))
    )

    assert (before, failed, after) == ("a", fault, "c")
    assert kept(database) == {"a", "c"}


def test_nobody_is_answered_before_the_commit(database: Database) -> None:
    """What was acknowledged is on disk."""
    answered = []

    async def scene() -> None:
        await GroupCommit(database).write(using("a"))
        answered.append(kept(database))

    asyncio.run(scene())

    assert answered == [{"a"}]


def test_a_commit_that_fails_is_told_to_all(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: nobody is told that it is done, and nothing is."""

    def refuse(_connection: object) -> None:
        raise database.engine.dialect.loaded_dbapi.OperationalError("disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(database.engine.dialect, "do_commit", refuse)
        results = asyncio.run(written(database, using("a"), using("b")))

    assert [type(result) for result in results] == [DatabaseUnavailable, DatabaseUnavailable]
    assert kept(database) == set()
    assert asyncio.run(written(database, using("a"))) == ["a"]


def test_a_transaction_that_the_database_gave_up_undoes_all(database: Database) -> None:
    """SQLite rolls everything back by itself when it runs out of space or memory."""

    def give_up(stores: Stores) -> None:
        assert isinstance(stores.replay, ReplayStore)
        stores.replay._connection.exec_driver_sql("ROLLBACK")
        raise ValueError

    results = asyncio.run(written(database, using("a"), give_up, using("c")))

    assert [type(result) for result in results] == [DatabaseUnavailable] * 3
    assert kept(database) == set()


def test_more_works_than_one_transaction_takes_are_all_done(database: Database) -> None:
    """The event loop breathes between them."""
    names = [f"work {number}" for number in range(2 * MOST + 1)]

    with commits(database) as noted:
        results = asyncio.run(written(database, *map(using, names)))

    assert results == names
    assert [len(before) for before in noted] == [0, MOST, 2 * MOST]


def test_a_loop_that_ends_leaves_nothing_half_done(database: Database) -> None:
    """The turn to write is given back, and the transaction with it."""
    together = GroupCommit(database)

    async def leave() -> None:
        asking = asyncio.ensure_future(together.write(using("a")))
        await asyncio.sleep(0)
        with database.write() as stores:  # the turn is taken: the loop's thread waits for it
            stores.replay.use(b"b", NOW)
            await asyncio.sleep(0.05)
            asking.cancel()
        assert asking.cancelling()

    asyncio.run(leave())
    with database.write() as stores:
        stores.replay.use(b"c", NOW)

    assert kept(database) >= {"b", "c"}


def test_what_nobody_waits_for_is_not_begun(database: Database) -> None:
    """A request that was cut off is told to come again: its code must still be good."""
    together = GroupCommit(database)

    async def scene() -> None:
        with database.write() as stores:  # the turn is taken
            stores.replay.use(b"a", NOW)
            asking = asyncio.ensure_future(together.write(using("b")))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.sleep(0)
        await together.write(using("c"))

    asyncio.run(scene())

    assert kept(database) == {"a", "c"}


def test_threads_and_the_loop_take_turns(database: Database) -> None:
    """Others write in transactions of their own at the same time; nothing is lost."""

    def others() -> None:
        for number in range(20):
            with database.write() as stores:
                stores.replay.use(f"thread {number}".encode(), NOW)

    async def scene() -> None:
        for number in range(20):
            await written(database, using(f"loop {number}"))

    thread = threading.Thread(target=others)
    thread.start()
    asyncio.run(scene())
    thread.join()

    assert len(kept(database)) == 40


def test_a_statement_belongs_to_the_request_that_needs_it(database: Database) -> None:
    """A trace shows its own statements only."""
    request: ContextVar[str] = ContextVar("request", default="nobody's")
    heard: list[str] = []

    def note(*told: Any) -> None:
        if told[2].startswith("INSERT INTO used"):
            heard.append(request.get())

    async def asks(together: GroupCommit, name: str) -> None:
        request.set(name)
        await together.write(using(name))

    async def scene() -> None:
        together = GroupCommit(database)
        await asyncio.gather(*(asks(together, name) for name in ("first", "second")))

    event.listen(database.engine, "before_cursor_execute", note)
    asyncio.run(scene())

    assert heard == ["first", "second"]
