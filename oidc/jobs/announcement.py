"""Tells in the protocol database that this process runs, and what it can use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import getpid
from socket import gethostname
from threading import Event, Thread

from oidc.errors import DatabaseUnavailable
from oidc.storage.database import Database
from oidc.storage.migrate import VERSION
from oidc.types import RENEWAL_S, Clock, Process


@contextmanager
def announced(database: Database, program: str, biometric: str, clock: Clock) -> Iterator[None]:
    """Renew this process's row until the end, which closes the database.

    Before the start checks the databases: so a contraction sees this process, or the check sees
    the contraction.
    """
    ended = Event()
    own = Process(gethostname(), getpid(), program, VERSION.newest, biometric, clock())

    def tell() -> None:
        while not ended.wait(RENEWAL_S):
            with suppress(DatabaseUnavailable), database.write() as stores:
                stores.processes.put(replace(own, seen_at=clock()))

    with database.write() as stores:
        stores.processes.put(own)
    telling = Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        ended.set()
        telling.join()
        with suppress(DatabaseUnavailable), database.write() as stores:
            stores.processes.delete(own)
        database.close()
