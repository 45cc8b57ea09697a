"""Composition root: settings in, provider out. The only module that knows every class."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from oidc.handoff import Door
from oidc.storage.migrate import migrate_database, require_migrated
from oidc.storage.sql.database import Database, open_engine

if TYPE_CHECKING:
    from oidc.settings import OidcSettings
    from oidc.types import Clock


def utc_now() -> datetime:
    """Return the real time: aware, UTC."""
    return datetime.now(UTC)


def migrate(settings: OidcSettings, clock: Clock = utc_now) -> None:
    """Make the protocol database ready: its tables, and a first signing key if it has none."""
    engine = open_engine(settings.database_url)
    try:
        migrate_database(engine)
    finally:
        engine.dispose()


def open_door(settings: OidcSettings, clock: Clock = utc_now) -> Door:
    """Open the phone's half of every login. Raises ``DatabaseNotMigrated``."""
    return Door(_open_database(settings), settings.limits, clock)


def _open_database(settings: OidcSettings) -> Database:
    engine = open_engine(settings.database_url)
    require_migrated(engine)
    return Database(engine)
