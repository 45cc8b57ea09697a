"""The server's other copy takes over: no restart, no other setting."""

import os
import signal
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from oidc.app import migrate
from oidc.errors import DatabaseUnavailable
from oidc.settings import OidcSettings
from oidc.storage.database import Database, open_engine
from tests.support.clock import FakeClock
from tests.support.databases.cluster import cluster, standby
from tests.support.databases.postgres import empty_database
from tests.support.service.sign_in import SignIn

pytestmark = [pytest.mark.postgres, pytest.mark.check]


def test_people_sign_in_at_the_copy_that_took_over(tmp_path: Path) -> None:
    """The address names both; what the first one acknowledged is there."""
    with cluster(durable=False) as first, standby(first) as (port, promote):
        with psycopg.connect(first.url, autocommit=True) as operator:
            operator.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            operator.execute("SELECT pg_reload_conf()")
        url = urlsplit(first.url)
        hosts = f"host=127.0.0.1:{url.port}&host=127.0.0.1:{port}"
        user = f"postgresql://{url.username}:{url.password}@/postgres"
        settings = OidcSettings(
            issuer="https://id.example",
            database_url=f"{user}?{hosts}&target_session_attrs=read-write",
            key_encryption_key_file=tmp_path / "protocol.key",
        )
        migrate(settings, FakeClock())
        sign_in = SignIn(settings)
        code = sign_in.code()
        os.kill(first.pid, signal.SIGKILL)
        sign_in.browser = sign_in.new_browser()
        while sign_in.ask().status_code != 503:
            pass  # its other processes notice that the first one has gone
        sign_in.handoff.close()  # its idle connection may be as dead
        promote()
        redeemed, again = sign_in.redeem(code).status_code, sign_in.code()
        sign_in.close()

    assert redeemed == 200
    assert again


def test_a_server_that_only_reads_is_away(postgres_url: str) -> None:
    """As the one that was the first, and follows now: a request comes again, at the other."""
    with empty_database(postgres_url) as url:
        database = Database(open_engine(url))
        with pytest.raises(DatabaseUnavailable), database.transaction() as connection:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            connection.exec_driver_sql("CREATE TABLE any_table ()")
        assert database.connections_in_use() == 0
        database.close()
