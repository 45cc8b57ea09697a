"""asked: what many requests write together is told apart by whoever listens."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

from sqlalchemy import event

from oidc.storage.transactions import Stores
from tests.fakes.oidc.client_database import NOW, database_of

REQUEST: ContextVar[str] = ContextVar("request", default="nobody's")


def test_a_statement_belongs_to_the_request_that_needs_it(database_url: str) -> None:
    """Also one that PostgreSQL is asked in a thread: a trace shows its own statements only."""
    heard: set[str] = set()

    def note(*told: Any) -> None:
        if told[2].startswith(("SELECT codes", "INSERT INTO used")):
            heard.add(f"{told[2][:6]} {REQUEST.get()}")

    async def asks(name: str) -> None:
        def work(stores: Stores) -> None:
            stores.codes.find(name.encode())
            if name == "third":
                stores.replay.use(name.encode(), NOW)

        REQUEST.set(name)
        await database.asynchronous.write(work)

    async def scene() -> None:
        await asyncio.gather(*map(asks, ("first", "second", "third")))

    with database_of(database_url) as database:
        event.listen(database.engine, "before_cursor_execute", note)
        asyncio.run(scene())

    assert heard == {"SELECT first", "SELECT second", "SELECT third", "INSERT third"}
