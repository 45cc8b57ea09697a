"""A provider that can only read is not ready."""

from datetime import UTC, datetime
from os import getpid
from socket import gethostname

import pytest

from mobile_api.server.provider_app import UNWRITTEN, require_writes
from oidc.errors import DatabaseUnavailable
from oidc.storage.database import Database
from oidc.types import Process

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_a_process_that_cannot_write_is_not_ready(database: Database) -> None:
    """On a full disk reads are answered, and every sign-in fails."""
    require_writes(database, lambda: NOW)
    with database.write() as stores:
        stores.processes.put(Process(gethostname(), getpid(), "1", "1", "", NOW))
    require_writes(database, lambda: NOW + UNWRITTEN)
    with pytest.raises(DatabaseUnavailable):
        require_writes(database, lambda: NOW + 2 * UNWRITTEN)
