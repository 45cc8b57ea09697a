"""Waits until an account that a command erased is on the erasure list.

A running service owns the list: it lists the account, makes the provider erase it and removes
the pending erasure. If none runs, the command lists the account itself, and the next service to
start reads it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from engine.errors import DirectoryInUse
from mobile_api.errors import DeletionUnlisted
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.template_encryption import group_of
from mobile_api.storage.database import Database
from oidc.types import AccountId

SERVICE_S: Final = 3.0
"""Then check whether a service runs at all."""

PATIENCE_S: Final = 20.0
"""Longest wait in total."""

_PAUSE_S: Final = 0.1


def wait_until_listed(storage: Database, account: AccountId, folder: Path) -> None:
    """Return once an erased account is on the erasure list, on disk.

    ``folder`` is a service's gallery directory. Raises DeletionUnlisted or DirectoryFault.
    """
    start = monotonic()
    while _is_waiting(storage, account):
        waited_s = monotonic() - start
        if waited_s >= SERVICE_S and _list_here(account, folder):
            return
        if waited_s >= PATIENCE_S:
            raise DeletionUnlisted(
                "The account is erased, but not yet on the erasure list for restored backups:"
                " start a service before you restore a backup"
            )
        sleep(_PAUSE_S)


def _is_waiting(storage: Database, account: AccountId) -> bool:
    with storage.reading() as transaction:
        return account in transaction.pending_erasures.all()


def _list_here(account: AccountId, folder: Path) -> bool:
    """List an account in a stopped service's directory, if there is one."""
    if not folder.is_dir():
        return False
    with suppress(DirectoryInUse):
        local_store = LocalStore(folder)
        try:
            local_store.erasures.add([group_of(account)])
        finally:
            local_store.close()
        return True
    return False
