"""Both databases behind pgbouncer in transaction mode: what one leaves, the next one finds."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import psycopg
import pytest

from mobile_api.storage import database as biometric
from mobile_api.storage.database import Database as BiometricDatabase
from mobile_api.storage.database import open_engine as open_biometric
from oidc.plumbing.server_connection import SERVER_TIMEOUTS
from oidc.storage.database import Database as ProtocolDatabase
from oidc.storage.database import open_engine as open_protocol
from oidc.storage.migrate import migrate_database
from oidc.types import ClientId
from tests.support.databases.pooler import PROGRAM, pooled

pytestmark = pytest.mark.postgres

USES = 6
"""More than the driver needs to give a statement a name on the server."""


WATCHED = "tcp_keepalives_idle"

SIZE = 3
"""Connections that the pooler lends out."""


@pytest.fixture(scope="module")
def pooler_url(postgres_url: str) -> Iterator[str]:
    """Give the cluster's URL through a pooler with three connections."""
    if not PROGRAM.exists():
        pytest.skip("pgbouncer is not installed: apt-get install pgbouncer")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-pooler-") as name,
        pooled(Path(name), postgres_url, SIZE) as url,
    ):
        yield url.replace("postgresql://", "postgresql+psycopg://")


def test_prepared_statements_and_reads_without_a_transaction_share_connections(
    pooler_url: str,
) -> None:
    """What a token request asks, often enough for the driver to name it."""
    database = ProtocolDatabase(open_protocol(pooler_url))

    def ask(_worker: int) -> list[object]:
        found: list[object] = []
        for _ in range(10 * USES):
            with database.read() as stores:
                found.append(stores.clients.find(ClientId("unknown")))
            with database.write() as stores:
                found.append(stores.codes.lock(b"nothing"))
        return found

    migrate_database(database.engine)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(8)))
    database.close()

    assert answers == [20 * USES * [None]] * 8


def test_limits_of_a_transaction_end_with_it(pooler_url: str) -> None:
    """They hold behind a pooler, too; what the server watches of TCP is the pooler's matter."""
    database = ProtocolDatabase(open_protocol(pooler_url))
    names = ("idle_in_transaction_session_timeout", "lock_timeout")
    with database.write() as stores:
        run = stores.connection.exec_driver_sql
        inside = [run(f"SHOW {name}").scalar_one() for name in names]
    with psycopg.connect(pooler_url.replace("+psycopg", ""), autocommit=True) as connection:
        found = [connection.execute(f"SHOW {name}").fetchone() for name in (*names, WATCHED)]
    database.close()

    assert inside == ["5s", "8s"]
    assert found[:2] == [("0",), ("0",)]
    assert found[2] != (str(SERVER_TIMEOUTS[WATCHED]),)


def test_processes_take_turns(pooler_url: str, postgres_url: str) -> None:
    """The lock is of a transaction: one of a session would be left on whatever connection."""
    databases = [BiometricDatabase(open_biometric(pooler_url)) for _ in range(2)]
    inside: list[int] = []
    most: list[int] = []

    def work(database: BiometricDatabase) -> None:
        for _ in range(10):
            # What keeps threads of one process apart is left out: these are two.
            with biometric._advisory_lock(database.engine, "work"):
                inside.append(1)
                most.append(len(inside))
                sleep(0.002)
                inside.pop()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(work, databases))
    with psycopg.connect(postgres_url) as connection:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        left = connection.execute(query).fetchone()
    for database in databases:
        database.close()

    assert max(most) == 1
    assert left == (0,)
