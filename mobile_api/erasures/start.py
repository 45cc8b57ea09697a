"""Holds the list of erasures against the database when a service starts.

The first start of all makes the list.
"""

from __future__ import annotations

import logging
from typing import Final

from mobile_api.erasures.file import ErasureList
from mobile_api.errors import DeletionUnlisted, ErasureListFault, KeyFileFault
from mobile_api.storage.database import Database
from oidc.types import AccountId

LOGGER: Final = logging.getLogger("thenar.mobile")


def open_list(erasures: ErasureList, database: Database) -> None:
    """Check the list against the database, make it if neither has one, and repair it.

    Raises ErasureListFault.
    """
    with database.write() as transaction:
        transaction.history.lock()  # one process makes it
        counted = transaction.pending_erasures.counted()
        if counted is None and not erasures.exists():
            erasures.create()
        erasures.require(counted)
        if counted != erasures.head():
            transaction.pending_erasures.recount(erasures.head())
    if erasures.damage_count():
        LOGGER.warning("the list of erasures was damaged and has been repaired")
        erasures.rewrite()


def check_list(erasures: ErasureList, database: Database) -> int:
    """Check the list against the database; return how many accounts are on it.

    Raises ErasureListFault.
    """
    with database.read() as transaction:
        counted = transaction.pending_erasures.counted()
    if counted is None and not erasures.exists():
        return 0
    erasures.require(counted)
    return erasures.head().count


def list_erased(erasures: ErasureList, database: Database, account: AccountId) -> None:
    """List an account that a command erased; a service makes the provider forget it.

    Raises DeletionUnlisted.
    """
    try:
        check_list(erasures, database)
        head = erasures.add([account])
    except (ErasureListFault, KeyFileFault) as fault:
        raise DeletionUnlisted(
            f"The account is erased, but not yet on the list of erasures ({fault}): start a"
            " service before you restore a backup"
        ) from fault
    with database.write() as transaction:
        transaction.pending_erasures.count(head)


def renew_list(erasures: ErasureList, database: Database) -> None:
    """Begin a new list with what is authentic of the old one, and with pending erasures.

    Raises ErasureListFault.
    """
    with database.write() as transaction:
        transaction.history.lock()
        erasures.create(transaction.pending_erasures.all())
        transaction.pending_erasures.recount(erasures.head())


def sign_list(erasures: ErasureList, database: Database) -> None:
    """Authenticate all entries by the first key, so that the others may go.

    Raises ErasureListFault.
    """
    with database.read() as transaction:
        counted = transaction.pending_erasures.counted()
    if counted is not None or erasures.exists():
        erasures.require(counted)
        erasures.rewrite()
