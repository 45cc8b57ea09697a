"""A protocol database with one client in it, for the tests of what is kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from oidc.client import Client
from oidc.storage.database import Database, open_engine
from oidc.storage.migrate import migrate_database
from oidc.types import ClientId, SectorIdentifier
from tests.support.clock import FakeClock

NOW = FakeClock()().replace(microsecond=123_456)
SHOP = Client(
    ClientId("shop"),
    "Corner Bookshop",
    ("https://a.example/",),
    ("openid",),
    SectorIdentifier("shop"),
    external_user_id=True,
    secret_digest=b"digest",
    created_at=NOW,
)


@contextmanager
def database_of(url: str, client: Client = SHOP) -> Iterator[Database]:
    """Migrate an empty database, and let it know one client."""
    engine = open_engine(url)
    migrate_database(engine)
    database = Database(engine)
    with database.write() as stores:
        stores.clients.add(client)
    try:
        yield database
    finally:
        engine.dispose()
