"""Many statements in one round trip, and what happens when something breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest

from oidc.storage.sql import pipelined_connection
from oidc.storage.sql.pipelined_connection import (
    ConnectionLost,
    PipelinedConnection,
    Reply,
    Statement,
    StatementRefused,
    open_pipelined,
)
from oidc.storage.sql.pipelined_connection import statement as asked

pytestmark = pytest.mark.postgres

ONE = asked("SELECT 1", ())


@pytest.fixture
def on_line(
    postgres_url: str,
) -> Callable[[Callable[[PipelinedConnection], Awaitable[Any]]], Any]:
    """Give a function that does something on a line."""

    async def use(act: Callable[[PipelinedConnection], Awaitable[Any]]) -> Any:
        line = await open_pipelined({"conninfo": postgres_url})
        try:
            return await act(line)
        finally:
            line.close()

    return lambda act: asyncio.run(use(act))


def test_every_type_of_the_tables_comes_as_it_was_sent(on_line: Any) -> None:
    """Octets, numbers, texts, truth, and nothing."""
    values = (b"\x00\xff", -(2**40), "ä", None)
    text = "SELECT $1::bytea, $2::bigint, $3::varchar, $4::text, true, 7::integer, $3::text"

    (reply,) = on_line(lambda line: line.run([asked(text, values)]))

    assert reply.rows == [(*values, True, 7, "ä")]


def test_texts_are_unicode_whatever_the_machine_prefers(
    on_line: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Database, role and environment may each ask for another encoding."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    monkeypatch.setattr(pipelined_connection, "ANSWER_S", 0.5)

    async def act(line: PipelinedConnection) -> list[Any]:
        replies = await line.run([asked("SELECT U&'B\\00fccherei', length($1::text)", ("ü",))])
        return replies[0].rows

    assert on_line(act) == [("Bücherei", 1)]


def test_an_answer_that_cannot_be_read_is_told_at_once(on_line: Any) -> None:
    """Whoever asked is not left waiting, and the line is not used again."""

    async def act(line: PipelinedConnection) -> bool:
        with pytest.raises(KeyError):
            await asyncio.wait_for(line.run([asked("SELECT 1.5::numeric", ())]), 5)
        return line.is_open

    assert on_line(act) is False


def test_more_than_a_socket_takes_goes_through(on_line: Any) -> None:
    """Both ways at once: neither side waits for the other for ever."""
    many = [asked("SELECT $1::bytea", (bytes([number]) * 60_000,)) for number in range(200)]

    replies = on_line(lambda line: line.run(many))

    assert [reply.rows[0][0][:1] for reply in replies] == [bytes([n]) for n in range(200)]
    assert {len(reply.rows[0][0]) for reply in replies} == {60_000}


def test_a_refusal_names_its_state_and_no_words(on_line: Any) -> None:
    """What came before it in the same piece does not count either; the line stays good."""

    async def act(line: PipelinedConnection) -> list[Any]:
        await line.run([asked("CREATE TEMPORARY TABLE kept (name text UNIQUE)", ())])
        insert = asked("INSERT INTO kept VALUES ($1)", ("secret",))
        with pytest.raises(StatementRefused) as refused:
            await line.run([insert, insert, ONE])
        assert str(refused.value) == "23505"
        return [reply.rows for reply in await line.run([asked("SELECT * FROM kept", ()), ONE])]

    assert on_line(act) == [[], [(1,)]]


def test_changed_rows_are_counted(on_line: Any) -> None:
    """By the statement that changed them."""

    async def act(line: PipelinedConnection) -> list[int]:
        made = asked("CREATE TEMPORARY TABLE kept (name text)", ())
        add = asked("INSERT INTO kept VALUES ($1), ($1)", ("x",))
        change = asked("UPDATE kept SET name = $1", ("y",))
        replies = await line.run([made, add, change, asked("UPDATE kept SET name = name", ())])
        return [reply.changed for reply in replies]

    assert on_line(act) == [0, 2, 2, 2]


def test_a_line_that_the_server_closes_is_known_to_be_closed(
    on_line: Any, postgres_url: str
) -> None:
    """In the middle of an answer, and while nobody asks."""

    async def act(line: PipelinedConnection) -> tuple[bool, bool]:
        other = await open_pipelined({"conninfo": postgres_url})
        backends = [
            await line.run([asked("SELECT pg_backend_pid()", ())]) for line in (line, other)
        ]
        sleeping = asyncio.ensure_future(line.run([asked("SELECT pg_sleep(60)", ())]))
        await asyncio.sleep(0.05)
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            for (backend,) in backends:
                connection.execute("SELECT pg_terminate_backend(%s)", backend.rows[0])
        with pytest.raises(ConnectionLost):
            await sleeping
        for _ in range(200):
            if not other.is_open:
                break
            await asyncio.sleep(0.02)
        return line.is_open, other.is_open

    assert on_line(act) == (False, False)


def test_a_server_that_never_answers_is_given_up(
    on_line: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its line with it: a late answer would be taken for another's."""
    monkeypatch.setattr(pipelined_connection, "ANSWER_S", 0.1)

    async def act(line: PipelinedConnection) -> bool:
        with pytest.raises(ConnectionLost):
            await line.run([asked("SELECT pg_sleep(60)", ())])
        return line.is_open

    assert on_line(act) is False


def test_who_stops_waiting_leaves_no_answer_behind(on_line: Any) -> None:
    """The line is closed, whatever the server still says."""

    async def act(line: PipelinedConnection) -> bool:
        asking = asyncio.ensure_future(line.run([asked("SELECT pg_sleep(60)", ())]))
        await asyncio.sleep(0.05)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        return line.is_open

    assert on_line(act) is False


def test_nobody_there_is_a_line_lost() -> None:
    """The driver's own fault stays inside."""
    parameters = {"host": "127.0.0.1", "port": 1, "connect_timeout": 2}
    with pytest.raises(ConnectionLost):
        asyncio.run(open_pipelined(parameters))


def test_a_statement_shows_no_values() -> None:
    """They are digests and names of persons' grants."""
    assert "secret" not in repr(asked("SELECT $1", ("secret",)))
    assert "secret" not in repr(Reply([("secret",)], 0))
    assert Statement(b"SELECT 1").values == ()
