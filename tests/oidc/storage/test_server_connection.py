"""A connection that says nothing any more: a machine that vanished, a pooler that hangs."""

import os
import resource
from contextlib import ExitStack
from math import inf

import psycopg
import pytest

from oidc.errors import DatabaseUnavailable
from oidc.plumbing.server_connection import ServerConnection
from oidc.storage.database import Database, open_engine
from oidc.types import ClientId
from tests.support.databases.client_database import database_of
from tests.support.databases.postgres import empty_database

pytestmark = pytest.mark.postgres

FD_SETSIZE = 1024
"""Of the system's ``select``."""


CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


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


def test_a_server_that_starts_again_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was never reached is not: its address may be wrong."""
    ends = iter([psycopg.OperationalError, psycopg.OperationalError, None])

    def prepared(**_parameters: object) -> str:
        if fault := next(ends):
            raise fault
        return "connected"

    monkeypatch.setattr(ServerConnection, "prepared", prepared)
    with pytest.raises(psycopg.OperationalError):
        ServerConnection.awaited({"since": -inf})
    lost: dict[str, float] = {}
    assert str(ServerConnection.awaited(lost)) == "connected"
    assert lost == {}


def test_a_server_that_is_away_is_known_to_be_away() -> None:
    """It reports who reads and who writes."""
    database = Database(open_engine("postgresql+psycopg://user@127.0.0.1:1/nothing"))

    for opened in (database.read(), database.write()):
        with pytest.raises(DatabaseUnavailable), opened:
            pass
    database.close()
