"""A database that says nothing any more costs a request a second, no quarter of an hour."""

from __future__ import annotations

from time import perf_counter, sleep
from typing import Any

import pytest
from sqlalchemy import text

from oidc.plumbing.connection_checks import CHECK_TIMEOUT_S, RECHECK_AFTER_S
from oidc.plumbing.database_engine import open_engine
from tests.support.servers.silent_proxy import SilentProxy

pytestmark = pytest.mark.postgres

SLACK_S = 8.0
"""For opening a connection on a busy machine."""


def test_a_connection_that_fell_silent_is_replaced(postgres_url: str) -> None:
    """One is waited for; those that are as old are replaced without."""
    with SilentProxy(postgres_url.replace("postgresql://", "postgresql+psycopg://")) as proxy:
        engine = open_engine(proxy.url, most_connections=20, wait_s=10)
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
    assert seconds < CHECK_TIMEOUT_S + SLACK_S


def _ask_on_two(engine: Any) -> None:
    with engine.connect() as one, engine.connect() as other:
        for connection in (one, other):
            assert connection.execute(text("SELECT 1")).scalar() == 1
