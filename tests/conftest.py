"""What every test may ask for: an empty database of each kind, and nothing shared."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.servers.milvus import milvus_server
from tests.fakes.servers.postgres import empty_database, postgres_cluster, server_programs
from tests.milvus_server import server_package

# A busy machine is no fault of the code: properties are timed by nobody.
settings.register_profile("unhurried", settings(), deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Give the URL of a running PostgreSQL cluster, started once for all tests that ask."""
    programs = server_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-pg-", ignore_cleanup_errors=True) as name,
        postgres_cluster(Path(name), programs) as url,
    ):
        yield url


@pytest.fixture(scope="session")
def milvus_url() -> Iterator[str]:
    """Give the address of a running Milvus server, started once for all tests that ask."""
    package = server_package()
    if os.environ.get("THENAR_MILVUS") != "1" or package is None:  # noqa: TID251 -- as make test
        pytest.skip("no Milvus server: THENAR_MILVUS=1 python tests/milvus_server.py")
    with (
        tempfile.TemporaryDirectory(
            prefix="thenar-milvus-", ignore_cleanup_errors=True
        ) as name,
        milvus_server(Path(name), package) as url,
    ):
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the SQLAlchemy URL of an empty database: once on SQLite, once on PostgreSQL."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'test.sqlite3'}"
        return
    with empty_database(request.getfixturevalue("postgres_url")) as url:
        yield url
