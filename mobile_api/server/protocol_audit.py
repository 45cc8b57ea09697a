"""Opens the audit log of the protocol database. Loads nothing else of the provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oidc.opening import open_database
from oidc.settings import OidcSettings
from oidc.types import AuditEntry


@contextmanager
def open_protocol_audit() -> Iterator[Callable[[int], Iterator[AuditEntry]]]:
    """Open the log, which yields the entries after a position, oldest first."""
    database = open_database(OidcSettings())
    try:
        with database.read() as stores:
            yield stores.audit.entries
    finally:
        database.close()
