"""An empty database, and a second one of another history."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mobile_api.storage.database import Database, open_engine, upgrade


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Make an empty database, open for as long as the context lasts."""
    engine = open_engine(f"sqlite:///{path}")
    upgrade(engine)
    database = Database(engine)
    yield database
    database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give an empty database."""
    with opened(tmp_path / "b.sqlite3") as database:
        yield database


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    """Give a database of another history."""
    with opened(tmp_path / "other.sqlite3") as database:
        yield database
