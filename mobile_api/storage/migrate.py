"""Migrates the biometric database and checks its version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mobile_api.errors import NotMigrated
from mobile_api.storage.database import Database, open_engine
from oidc.plumbing.database_engine import disposing
from oidc.plumbing.schema_version import SchemaVersion

VERSION_TABLE: Final = "mobile_version"

VERSION: Final = SchemaVersion(
    Database.name,
    Path(__file__).with_name("migrations"),
    VERSION_TABLE,
    lock=0x7061_6C6D_7331,
    fault=NotMigrated,
)

require_current = VERSION.require_usable
upgrade = VERSION.upgrade


@contextmanager
def open_database(database_url: str) -> Iterator[Database]:
    """Open the biometric database for a while. Raises NotMigrated."""
    with disposing(open_engine(database_url)) as engine:
        require_current(engine)
        yield Database(engine)
