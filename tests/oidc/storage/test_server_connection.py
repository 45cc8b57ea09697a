"""A connection that says nothing any more: a machine that vanished, a pooler that hangs."""

import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter, sleep
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, text

from oidc.errors import DatabaseUnavailable
from oidc.plumbing.server_connection import (
    CHECK,
    RECHECK_AFTER_S,
    SERVER_TIMEOUTS,
    TIMEOUTS,
    ServerConnection,
    parameters_of,
)
from oidc.storage.database import Database, open_engine
from oidc.types import ClientId
from tests.support.databases.client_database import database_of
from tests.support.databases.postgres import empty_database
from tests.support.servers.silent_proxy import SilentProxy

pytestmark = pytest.mark.postgres

FD_SETSIZE = 1024
"""Of the system's ``select``."""

SLACK_S = 8.0
"""For opening a connection on a busy machine."""

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[SilentProxy]:
    """Give a way to the server that can fall silent."""
    with SilentProxy(postgres_url.replace("postgresql://", "postgresql+psycopg://")) as proxy:
        yield proxy


def test_what_comes_back_after_the_end_is_closed(proxy: SilentProxy) -> None:
    """The thread of a job may still be in its transaction when a service stops."""
    database = Database(open_engine(proxy.url))
    with database.read() as stores:
        late = stores.connection.connection.driver_connection
        database.close()
        stores.connection.execute(text("SELECT 1"))

    assert late is not None
    assert late.closed


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_thread_gets_another_connection(proxy: SilentProxy, kind: str) -> None:
    """All that are as old go: one of them is waited for, not each."""
    database = Database(open_engine(proxy.url))
    for _ in range(2):
        sleep(RECHECK_AFTER_S + 0.1)
        _touch(database, kind)
    kept = proxy.opened
    proxy.fall_silent()
    sleep(RECHECK_AFTER_S + 0.1)
    start = perf_counter()
    _touch(database, kind)
    seconds = perf_counter() - start
    database.close()

    assert (kept, proxy.opened) == (1, 2)
    assert seconds < CHECK.answer_s + SLACK_S


def _touch(database: Database, kind: str) -> None:
    with database.write() if kind == "write" else database.read() as stores:
        assert stores.connection.execute(text("SELECT 1")).scalar() == 1


def test_connections_that_a_restart_cut_are_replaced_after_one_failure(
    postgres_url: str,
) -> None:
    """The caller that had just used one must come again; no later one must."""
    with empty_database(postgres_url) as url, database_of(url) as database:
        with database.read() as one, database.read() as other:
            assert {each.clients.find(ClientId("x")) for each in (one, other)} == {None}
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(CUT)
        with pytest.raises(DatabaseUnavailable), database.read() as stores:
            stores.clients.find(ClientId("x"))
        with database.read() as one, database.read() as other, database.write() as third:
            for each in (one, other, third):
                assert each.clients.find(ClientId("x")) is None


def test_a_connection_of_a_server_with_many_waiting_pages_is_checked(postgres_url: str) -> None:
    """Each page is a descriptor: above 1023 ``select`` refuses them."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * FD_SETSIZE:
        pytest.skip("too few descriptors")
    with ExitStack() as held:
        while held.enter_context(open(os.devnull, "rb")).fileno() < FD_SETSIZE:  # noqa: PTH123
            pass
        connection = held.enter_context(ServerConnection.connect(postgres_url))

        assert connection.fileno() > FD_SETSIZE
        assert connection.responds()


def test_a_server_that_is_away_is_known_to_be_away() -> None:
    """It reports who reads and who writes."""
    database = Database(open_engine("postgresql+psycopg://user@127.0.0.1:1/nothing"))

    for opened in (database.read(), database.write()):
        with pytest.raises(DatabaseUnavailable), opened:
            pass
    database.close()


def test_the_system_gives_up_on_a_machine_that_vanished(postgres_url: str) -> None:
    """What no proxy can play: it lets the connection fail by itself, with any waiter."""
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://")
    own = f"{url}?tcp_user_timeout=1234&keepalives_idle=99"

    assert _promises(url) == (TIMEOUTS["tcp_user_timeout"], 1, 10, 3)
    assert _promises(own) == (1234, 1, 99, 3)
    with psycopg.connect(**parameters_of(make_url(own))) as listening:
        assert _options(listening.fileno()) == (1234, 1, 99, 3)


def test_the_server_watches_connections_without_a_pooler(postgres_url: str) -> None:
    """By default it keeps those of a machine that vanished, and their locks, for two hours."""
    database = Database(
        open_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    )
    with database.read() as stores:
        run = stores.connection.exec_driver_sql
        found = {name: run(f"SHOW {name}").scalar_one() for name in SERVER_TIMEOUTS}
    database.close()

    assert found == {name: str(value) for name, value in SERVER_TIMEOUTS.items()}


def _promises(url: str) -> tuple[int, ...]:
    engine = open_engine(url)
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        reported = _options(driver.fileno())
    engine.dispose()
    return reported


def _options(number: int) -> tuple[int, ...]:
    names = socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL
    opened = socket.socket(fileno=number)
    alive = opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    waits, idle, pause = (opened.getsockopt(socket.IPPROTO_TCP, name) for name in names)
    opened.detach()
    return waits, alive, idle, pause
