"""Commands of an operator, run against the test's database."""

from pathlib import Path

import pytest

from oidc.storage.database import Database
from tests.support.service.operator import Operator


@pytest.fixture
def operator(folder: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """Give an operator whose commands find the database of the test."""
    monkeypatch.setenv("THENAR_OIDC_ISSUER", "https://id.example")
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", f"sqlite:///{folder / 'protocol.sqlite3'}")
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", str(folder / "protocol.key"))
    monkeypatch.setenv("COLUMNS", "200")
    return Operator(database)
