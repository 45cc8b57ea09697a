"""Transactions of the biometric database, SQLite or PostgreSQL. A use case is one transaction.

A lock across all processes that share a database is for work outside of it. PostgreSQL: an
advisory lock in its own transaction, which survives a pooler. SQLite: a lock file.

Its version is checked when a command opens it, and ``VERSION`` migrates it.
"""

import fcntl
import hashlib
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, text

from mobile_api.errors import NotMigrated
from mobile_api.storage import schema as t
from mobile_api.storage.stores.account_codes import AccountCodes, Disputes
from mobile_api.storage.stores.attempts import Attempts
from mobile_api.storage.stores.challenges import Challenges, MotionCodes
from mobile_api.storage.stores.devices import Devices, Notices, PushSubscriptions, UsedNonces
from mobile_api.storage.stores.enrolments import Enrolments
from mobile_api.storage.stores.passkeys import Passkeys
from mobile_api.storage.stores.references import GalleryHistory, PendingErasures, References
from mobile_api.storage.stores.retention import Retention
from mobile_api.storage.stores.stations import Stations
from mobile_api.storage.stores.template_keys import AliasKeyStore, TemplateKeys
from oidc.plumbing import database as plumbing
from oidc.plumbing import database_engine as engines
from oidc.plumbing.audit_chain import AuditChain
from oidc.plumbing.database_engine import disposing
from oidc.plumbing.patience import ENDLESS, patience
from oidc.plumbing.schema_version import SchemaVersion

_LOCKS: Final[dict[str, threading.Lock]] = {}
_LOCKS_LOCK: Final = threading.Lock()


@contextmanager
def process_lock(engine: Engine, name: str) -> Iterator[None]:
    """Hold a named lock, in this process and across processes."""
    with _thread_lock(name):
        if engine.dialect.name == "postgresql":
            with _advisory_lock(engine, name):
                yield
        elif engine.url.database in {None, "", ":memory:"}:
            yield
        else:
            with _file_lock(Path(str(engine.url.database)), name):
                yield


def _thread_lock(name: str) -> threading.Lock:
    """Return this process's lock of that name."""
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(name, threading.Lock())


@contextmanager
def _advisory_lock(engine: Engine, name: str) -> Iterator[None]:
    digest = hashlib.sha256(name.encode()).digest()
    key = {"key": int.from_bytes(digest[:8], "big", signed=True)}
    with engine.connect() as connection:
        with patience(ENDLESS):  # what is done under the lock may take long
            begun = connection.begin()
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)
        try:
            yield
        finally:
            begun.rollback()


@contextmanager
def _file_lock(database: Path, name: str) -> Iterator[None]:
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    with database.with_name(f"{database.name}.turn-{digest}").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go when the file is closed
        yield


_AUDIT_LOCK: Final = 7_226_002
"""PostgreSQL advisory lock for appending to the audit log."""


@dataclass(eq=False)
class Transaction:
    """Every store, on the connection of one transaction, made when it is first used."""

    connection: Connection

    devices = cached_property(lambda own: Devices(own.connection))
    notices = cached_property(lambda own: Notices(own.connection))
    attempts = cached_property(lambda own: Attempts(own.connection))
    nonces = cached_property(lambda own: UsedNonces(own.connection))
    enrolments = cached_property(lambda own: Enrolments(own.connection))
    challenges = cached_property(lambda own: Challenges(own.connection))
    motion_codes = cached_property(lambda own: MotionCodes(own.connection))
    references = cached_property(lambda own: References(own.connection))
    pending_erasures = cached_property(lambda own: PendingErasures(own.connection))
    retention = cached_property(lambda own: Retention(own.connection))
    history = cached_property(lambda own: GalleryHistory(own.connection))
    template_keys = cached_property(lambda own: TemplateKeys(own.connection))
    alias_key = cached_property(lambda own: AliasKeyStore(own.connection))
    deletion_codes = cached_property(lambda own: AccountCodes(own.connection, t.deletion_codes))
    recovery_codes = cached_property(lambda own: AccountCodes(own.connection, t.recovery_codes))
    disputes = cached_property(lambda own: Disputes(own.connection))
    stations = cached_property(lambda own: Stations(own.connection))
    passkeys = cached_property(lambda own: Passkeys(own.connection))
    push_subscriptions = cached_property(lambda own: PushSubscriptions(own.connection))
    audit = cached_property(
        lambda own: AuditChain(own.connection, t.audit_entries, _AUDIT_LOCK)
    )


CONNECTIONS: Final = 45
"""Most connections. Each of 40 threads may hold one and wait for the gallery sync, which needs
two more; a rebuild under a new key needs three."""


class Database(plumbing.Database[Transaction]):
    """The biometric database."""

    name = "the biometric database"
    wait_s = 30
    new_stores = Transaction

    def process_lock(self, work: str) -> AbstractContextManager[None]:
        """Hold a named lock across all processes of this database."""
        return process_lock(self.engine, work)


def open_engine(database_url: str) -> Engine:
    """Return an engine of the biometric database."""
    return engines.open_engine(
        database_url, most_connections=CONNECTIONS, wait_s=Database.wait_s
    )


VERSION_TABLE: Final = "mobile_version"

VERSION: Final = SchemaVersion(
    Database.name,
    Path(__file__).with_name("migrations"),
    VERSION_TABLE,
    lock=0x7061_6C6D_7331,
    fault=NotMigrated,
    tables=t.metadata,
)

require_current = VERSION.require_known
upgrade = VERSION.upgrade


@contextmanager
def open_database(database_url: str) -> Iterator[Database]:
    """Open the biometric database for a while. Raises NotMigrated."""
    with disposing(open_engine(database_url)) as engine:
        require_current(engine)
        yield Database(engine)
