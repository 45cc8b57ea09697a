"""Opens the protocol database for commands and for ``app``.

Commands need neither routes nor the token endpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.errors import DatabaseNotMigrated

if TYPE_CHECKING:
    from oidc.settings import OidcSettings
    from oidc.storage.database import Database


def open_database(settings: OidcSettings, connections: int | None = None) -> Database:
    """Open the protocol database. Raises ``DatabaseNotMigrated``."""
    from oidc.storage.database import Database, open_engine  # noqa: PLC0415 - loads SQLAlchemy
    from oidc.storage.migrate import require_migrated  # noqa: PLC0415

    engine = open_engine(settings.database_url, connections or settings.connections)
    try:
        require_migrated(engine)
    except DatabaseNotMigrated:
        engine.dispose()
        raise
    return Database(engine)
