"""Opens the biometric database for commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.migrate import require_current


@contextmanager
def open_biometric_database() -> Iterator[Database]:
    """Open the biometric database of the settings. Raises NotMigrated."""
    engine = open_engine(MobileSettings().database_url)
    try:
        require_current(engine)
        yield Database(engine)
    finally:
        engine.dispose()
