"""The tiers of the suite, and databases and servers for every test that asks."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.comparison.kernels.compiling import is_complete
from engine.comparison.kernels.prepare import compile_kernels
from tests import tiers
from tests.milvus_server import server_package
from tests.support.databases.cluster import cluster, server_programs
from tests.support.databases.postgres import empty_database
from tests.support.servers.milvus import milvus_server

pytest_plugins = ["tests.support.service.running"]

# A busy machine is no fault of the code: no property fails because it was slow.
settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

MEMORY = Path("/dev/shm")  # noqa: S108 -- pytest makes its own folders there
MEMORY_BYTES = 4 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Put tests' files into memory where there is space."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES:
        # Every commit of SQLite waits for the disk: on a busy machine, longer than it computes.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # noqa: TID251
    # Tests show still pictures of palms; those of challenges build their own detector.
    os.environ["THENAR_ENGINE_ATTACK_DETECTION"] = "none"  # noqa: TID251


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels once, before workers and the services of tests read them."""
    if not hasattr(session.config, "workerinput") and not is_complete():
        compile_kernels()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests into tiers before ``-m`` selects."""
    tiers.sort_into_tiers(items)


def pytest_collection_finish() -> None:
    """Collect garbage less often: it took an eighth of the time of quick tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what ``make test`` leaves out."""
    if config.option.markexpr == tiers.QUICK:
        terminalreporter.section("left to `make check`")
        names = dict.fromkeys([*tiers.FOLDERS.values(), *tiers.MARKS.values()])
        terminalreporter.write_line(", ".join(names))


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the limits, so that no minute ends while a test counts requests."""
    monkeypatch.setattr("oidc.plumbing.rate_limit.monotonic", lambda: 1_000_000.0)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Give the URL of a running PostgreSQL cluster, started once for all tests that ask."""
    if server_programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with cluster(durable=False) as running:
        yield running.url


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
        milvus_server(Path(name), package) as server,
    ):
        yield server.url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the SQLAlchemy URL of an empty database: once on SQLite, once on PostgreSQL."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'test.sqlite3'}"
        return
    with empty_database(request.getfixturevalue("postgres_url")) as url:
        yield url
