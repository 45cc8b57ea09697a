"""Several writes in one commit, each undone alone, none answered before the disk."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from oidc.errors import DatabaseUnavailable
from oidc.storage.database import Database, GroupCommit, Stores
from tests.support.clock import FakeClock

pytestmark = pytest.mark.anyio

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


async def written(database: Database, *works: Callable[[Stores], Any]) -> list[Any]:
    """Do works of one event loop in one commit; return what became of each."""
    together = GroupCommit(database)
    with database.write():  # the first of them waits, the others queue
        asked = [asyncio.create_task(together.write(work)) for work in works]
        await asyncio.sleep(0)
    return await asyncio.gather(*asked, return_exceptions=True)


async def test_a_work_that_fails_undoes_itself_and_nothing_else(database: Database) -> None:
    """Its neighbours before and after it are kept; it gets its own fault."""
    fault = ValueError("wrong")

    before, failed, after = await written(
        database, using("a"), using("b", then=fault), using("c")
    )

    assert (before, failed, after) == ("a", fault, "c")
    assert kept(database) == {"a", "c"}


async def test_a_failed_commit_is_raised_to_every_caller(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: no caller reads that it is done, and nothing is."""
    commit = database.engine.dialect.do_commit

    def refuse(connection: Any) -> None:
        if connection.driver_connection.total_changes:
            raise database.engine.dialect.loaded_dbapi.OperationalError("disk is full")
        commit(connection)

    with monkeypatch.context() as broken:
        broken.setattr(database.engine.dialect, "do_commit", refuse)
        results = await written(database, using("a"), using("b"))

    assert [type(result) for result in results] == [DatabaseUnavailable, DatabaseUnavailable]
    assert kept(database) == set()
    assert await written(database, using("a")) == ["a"]


async def test_a_group_that_cannot_begin_fails_for_every_caller(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer took too long; the next group is as good as any."""
    together = GroupCommit(database)
    monkeypatch.setattr(Database, "wait_s", 0.01)

    with database.write():
        asked = (together.write(using(name)) for name in ("a", "b"))
        refused = await asyncio.gather(*asked, return_exceptions=True)

    assert [*map(type, refused)] == [DatabaseUnavailable] * 2
    assert await together.write(using("c")) == "c"
    assert kept(database) == {"c"}
