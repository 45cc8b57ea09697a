"""A connection that says nothing any more: a machine that vanished, a pooler that hangs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, sleep
from typing import Any

import pytest
from sqlalchemy import Engine, make_url, text

from oidc.storage.connection_checks import (
    CHECK_TIMEOUT_S,
    RECHECK_AFTER_S,
    TIMEOUTS,
    parameters_of,
)
from oidc.storage.database import Database, open_engine
from oidc.storage.sql.pipelined_connection import open_pipelined
from oidc.storage.sql.pipelined_connection import statement as asked
from oidc.storage.sql.pipelined_connections import PipelinedConnections
from oidc.storage.sql.postgres_reads import PostgresReads
from tests.fakes.servers.silent_proxy import SilentProxy

pytestmark = pytest.mark.postgres

ONE = asked("SELECT 1", ())
SLACK_S = 8.0
"""For opening a connection on a busy machine."""


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[SilentProxy]:
    """Give a way to the server that can fall silent."""
    with SilentProxy(postgres_url.replace("postgresql://", "postgresql+psycopg://")) as proxy:
        yield proxy


@contextmanager
def took() -> Iterator[list[float]]:
    """Give how long something took, in seconds."""
    start, seconds = perf_counter(), list[float]()
    yield seconds
    seconds.append(perf_counter() - start)


@pytest.mark.parametrize("idle_s", [0.0, RECHECK_AFTER_S + 0.1], ids=["in use", "idle"])
def test_an_event_loop_reads_on_another_line(proxy: SilentProxy, idle_s: float) -> None:
    """In a second where nobody had asked for a while, in two where somebody just had."""

    async def act() -> tuple[Any, float]:
        lines = PipelinedConnections(parameters_of(make_url(proxy.url)))
        reading = PostgresReads(lines)
        await reading.ask(ONE)
        await asyncio.sleep(idle_s)
        proxy.fall_silent()
        with took() as seconds:
            reply = await reading.ask(ONE)
        lines.close()
        return reply.rows, seconds[0]

    rows, seconds = asyncio.run(act())

    assert rows == [(1,)]
    assert seconds < (CHECK_TIMEOUT_S if idle_s else 2.0) + SLACK_S
    assert proxy.opened == 2


def test_a_line_that_lives_is_kept(proxy: SilentProxy) -> None:
    """To be asked whether it lives costs a line nothing but the time."""

    async def act() -> int:
        lines = PipelinedConnections(parameters_of(make_url(proxy.url)))
        reading = PostgresReads(lines)
        for _ in range(2):
            await reading.ask(ONE)
            await asyncio.sleep(RECHECK_AFTER_S + 0.1)
        lines.close()
        return proxy.opened

    assert asyncio.run(act()) == 1


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_thread_gets_another_connection(proxy: SilentProxy, kind: str) -> None:
    """All that are as old go: one of them is waited for, not each."""
    engine = open_engine(proxy.url)
    database = Database(engine)
    for _ in range(2):
        sleep(RECHECK_AFTER_S + 0.1)
        _touch(database, kind)
    kept = proxy.opened
    proxy.fall_silent()
    sleep(RECHECK_AFTER_S + 0.1)
    with took() as seconds:
        _touch(database, kind)
    database.close()

    assert (kept, proxy.opened) == (1, 2)
    assert seconds[0] < CHECK_TIMEOUT_S + SLACK_S


def _touch(database: Database, kind: str) -> None:
    if kind == "write":
        with database.transaction() as connection:
            assert connection.execute(text("SELECT 1")).scalar() == 1
        return
    with database._read_pool.reading() as stores:
        assert stores.clients._connection.execute(text("SELECT 1")).scalar() == 1


def test_the_system_gives_up_on_a_machine_that_vanished(postgres_url: str) -> None:
    """What no proxy can play: it lets the connection fail by itself, whoever waits on it."""
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://")
    own = f"{url}?tcp_user_timeout=1234&keepalives_idle=99"

    assert _promises(open_engine(url)) == (TIMEOUTS["tcp_user_timeout"], 1, 10, 3)
    assert _promises(open_engine(own)) == (1234, 1, 99, 3)
    assert asyncio.run(_line_promises(own)) == (1234, 1, 99, 3)


def _promises(engine: Engine) -> tuple[int, ...]:
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        told = _options(driver.fileno())
    engine.dispose()
    return told


async def _line_promises(url: str) -> tuple[int, ...]:
    line = await open_pipelined(parameters_of(make_url(url)))
    told = _options(line._socket)
    line.close()
    return told


def _options(number: int) -> tuple[int, ...]:
    names = socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL
    opened = socket.socket(fileno=number)
    alive = opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    waits, idle, pause = (opened.getsockopt(socket.IPPROTO_TCP, name) for name in names)
    opened.detach()
    return waits, alive, idle, pause
