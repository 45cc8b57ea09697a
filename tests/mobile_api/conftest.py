"""A running mobile API for each test that asks."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from oidc.storage.database import Database as ProtocolDatabase
from oidc.storage.database import open_engine as open_protocol_engine
from oidc.storage.migrate import migrate_database
from tests.support.databases.postgres import empty_database
from tests.support.service.mobile_api import MobileWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MobileWorld]:
    """Give a mobile API on an empty SQLite database; old rows are purged by tests alone."""
    monkeypatch.setattr("mobile_api.server.jobs.INTERVAL_S", 3600.0)
    with MobileWorld(tmp_path) as world:
        yield world


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API whose operator trusts the templates of any phone."""
    with MobileWorld(tmp_path, template_trust="any_device") as world:
        yield world


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a service on either kind of database."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            yield stack.enter_context(MobileWorld(tmp_path))
            return
        cluster = request.getfixturevalue("postgres_url")
        protocol, biometric = (stack.enter_context(empty_database(cluster)) for _ in range(2))
        provider = ProtocolDatabase(open_protocol_engine(protocol))
        migrate_database(provider.engine)
        yield stack.enter_context(MobileWorld(tmp_path, biometric, provider=provider))
