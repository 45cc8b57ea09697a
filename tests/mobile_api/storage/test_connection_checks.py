"""A biometric database that says nothing any more costs a request a second, no quarter hour."""

from __future__ import annotations

import socket
from time import perf_counter, sleep
from typing import Any

import pytest
from sqlalchemy import text

from mobile_api.storage.database import open_engine
from oidc.storage.engine import (
    ANSWER_TIMEOUT_S,
    CONNECT_PARAMETERS,
    RECHECK_AFTER_S,
)
from tests.fakes.servers.silent_proxy import SilentProxy

pytestmark = pytest.mark.postgres

SLACK_S = 8.0
"""For opening a connection on a busy machine."""


def test_a_connection_that_fell_silent_is_replaced(postgres_url: str) -> None:
    """One is waited for; those that are as old are replaced without."""
    with SilentProxy(postgres_url.replace("postgresql://", "postgresql+psycopg://")) as proxy:
        engine = open_engine(proxy.url)
        for _ in range(2):
            sleep(RECHECK_AFTER_S + 0.1)
            _ask_on_two(engine)
        kept = proxy.opened
        proxy.fall_silent()
        sleep(RECHECK_AFTER_S + 0.1)
        start = perf_counter()
        _ask_on_two(engine)
        seconds = perf_counter() - start
        engine.dispose()

    assert (kept, proxy.opened) == (2, 4)
    assert seconds < ANSWER_TIMEOUT_S + SLACK_S


def test_the_system_gives_up_on_a_machine_that_vanished(postgres_url: str) -> None:
    """What the operator's address says itself holds."""
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://")

    assert _gives_up_after_ms(url) == CONNECT_PARAMETERS["tcp_user_timeout"]
    assert _gives_up_after_ms(f"{url}?tcp_user_timeout=1234") == 1234


def _ask_on_two(engine: Any) -> None:
    with engine.connect() as one, engine.connect() as other:
        for connection in (one, other):
            assert connection.execute(text("SELECT 1")).scalar() == 1


def _gives_up_after_ms(url: str) -> int:
    engine = open_engine(url)
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        opened = socket.socket(fileno=driver.fileno())
        told = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        opened.detach()
    engine.dispose()
    return told
