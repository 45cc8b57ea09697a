"""Migrates the biometric database and checks its version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from mobile_api.errors import NotMigrated
from oidc.plumbing.schema_version import SchemaVersion

VERSION_TABLE: Final = "mobile_version"

_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_VERSION: Final = SchemaVersion(_MIGRATIONS, VERSION_TABLE, lock=0x7061_6C6D_7331)


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Apply the missing migrations. A new SQLite file gets mode 0600."""
    _VERSION.upgrade(engine, revision)


def require_current(engine: Engine) -> None:
    """Check that the database is at the newest version.

    Raises:
        NotMigrated: it is older, newer or empty.
    """
    fault = _VERSION.fault(engine)
    if fault is not None:
        raise NotMigrated(f"the biometric database {fault}")
