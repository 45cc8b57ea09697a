"""Providers for the tests: a migrated database with a signing key, made once and copied."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oidc.app import migrate, open_database
from oidc.settings import OidcSettings
from oidc.storage.sql.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.sign_in import SignIn

ISSUER = "https://id.example"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a migrated protocol database and its key file, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    # The key was made long ago for every clock a test may start with.
    migrate(_settings(folder), FakeClock())
    return folder


@pytest.fixture
def folder(migrated: Path, tmp_path: Path) -> Path:
    """Give a fresh copy of the migrated database."""
    shutil.copytree(migrated, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def settings(folder: Path) -> OidcSettings:
    """Give settings of a provider on one https host."""
    return _settings(folder)


@pytest.fixture
def clock() -> FakeClock:
    """Give a clock that stands still."""
    return FakeClock()


@pytest.fixture
def make_sign_in(folder: Path, clock: FakeClock) -> Iterator[Callable[..., SignIn]]:
    """Give a function that builds a provider from changed settings."""
    made: list[SignIn] = []

    def make(**changes: object) -> SignIn:
        made.append(SignIn(_settings(folder, **changes), clock))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def sign_in(make_sign_in: Callable[..., SignIn]) -> SignIn:
    """Give a provider with everything around it."""
    return make_sign_in()


@pytest.fixture
def database(settings: OidcSettings) -> Iterator[Database]:
    """Give a migrated protocol database."""
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture
def free_port() -> int:
    """Give a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _settings(folder: Path, **changes: object) -> OidcSettings:
    values: dict[str, object] = {
        "issuer": ISSUER,
        "database_url": f"sqlite:///{folder / 'protocol.sqlite3'}",
        "key_encryption_key_file": folder / "protocol.key",
        "support_email": "help@id.example",
        **changes,
    }
    return OidcSettings(**values)  # type: ignore[arg-type]
