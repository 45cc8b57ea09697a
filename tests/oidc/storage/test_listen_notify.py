"""A page that waits at one worker learns at once what another did: LISTEN on PostgreSQL."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from sqlalchemy import Connection, create_engine, text

from oidc.storage.change_notifications import APPLICATION
from tests.support.at_once import wait_until
from tests.support.databases.postgres import empty_database
from tests.support.service.sign_in import onward
from tests.support.service.two_workers import TwoWorkers, two_workers

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(180)]

LISTENERS = f"FROM pg_stat_activity WHERE application_name = '{APPLICATION}'"


@contextmanager
def page(workers: TwoWorkers, login: tuple[str, str]) -> Iterator[Iterator[dict[str, object]]]:
    """Wait at the first worker; yield the states that the page gets."""
    path, cookie = login
    address = f"{workers.first.local_url}{path}/events"
    with httpx2.stream("GET", address, headers={"Cookie": cookie}, timeout=60) as events:
        lines = (line for line in events.iter_lines() if line.startswith("data: "))
        messages = (json.loads(line.removeprefix("data: ")) for line in lines)
        yield (message for message in messages if "state" in message)


def cancel(workers: TwoWorkers, login: tuple[str, str]) -> None:
    """Press *cancel* at the second worker."""
    assert "error=access_denied" in onward(workers.press(workers.second, login, "cancel"))


@pytest.fixture(scope="module")
def database_url(postgres_url: str) -> Iterator[str]:
    """Give an empty database."""
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="module")
def workers(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoWorkers]:
    """Give two that look once in a minute if nothing notifies them."""
    folder = tmp_path_factory.mktemp("workers")
    with two_workers(folder, database_url, THENAR_OIDC_WATCH_INTERVAL_S="60") as workers:
        yield workers


@pytest.fixture
def connection(database_url: str) -> Iterator[Connection]:
    """Give a connection that commits each statement."""
    engine = create_engine(database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def wait_for_listeners(connection: Connection, but: frozenset[int] = frozenset()) -> set[int]:
    """Return the backends of both listeners, as soon as there are two others than those."""

    def others() -> set[int]:
        return {row[0] for row in connection.execute(text(f"SELECT pid {LISTENERS}"))} - but

    wait_until(lambda: len(others()) == 2)
    return others()


def seconds_until_notified(workers: TwoWorkers) -> float:
    """Let a page wait at one worker, cancel at the other; return how long it did not know."""
    login = workers.begin()
    with page(workers, login) as states:
        assert next(states)["state"] == "pending"
        began = time.perf_counter()
        cancel(workers, login)
        assert next(states)["state"] == "cancelled"
        return time.perf_counter() - began


def test_a_page_is_notified_although_the_listener_was_cut_off(
    workers: TwoWorkers, connection: Connection
) -> None:
    """It listens again by itself, and looks at what it may have missed."""
    before = frozenset(wait_for_listeners(connection))
    login = workers.begin()
    with page(workers, login) as states:
        assert next(states)["state"] == "pending"
        began = time.perf_counter()
        connection.execute(text(f"SELECT pg_terminate_backend(pid) {LISTENERS}"))
        cancel(workers, login)
        assert next(states)["state"] == "cancelled"
        assert time.perf_counter() - began < 40

    wait_for_listeners(connection, but=before)
    assert max(seconds_until_notified(workers) for _ in range(3)) < 40
