"""Waits until a deletion by a command stands on the list that restored backups are held to.

The list belongs to a service process, which owns its directory; it lists and forgets whoever
was erased by another process, and then takes the note of the departure away. Where no service
does so and nobody owns the directory, the command lists the account there itself: the next
service that starts reads it.
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
from mobile_api.storage.transaction import Storage
from oidc.types import AccountId

SERVICE_S: Final = 3.0
"""How long a service has to list an account, before it is looked whether one runs at all."""

PATIENCE_S: Final = 20.0
"""How long is waited in all."""

_PAUSE_S: Final = 0.1


def wait_until_listed(storage: Storage, account: AccountId, folder: Path) -> None:
    """Return once an erased account is on a list, on disk.

    Args:
        storage: from which it is erased.
        account: whose departure is noted there.
        folder: where a service keeps its gallery and its list.

    Raises:
        DeletionUnlisted: no service did it in time, and this process may not.
        DirectoryFault: the list cannot be written.
    """
    start = monotonic()
    while _is_waiting(storage, account):
        waited_s = monotonic() - start
        if waited_s >= SERVICE_S and _list_here(account, folder):
            return
        if waited_s >= PATIENCE_S:
            raise DeletionUnlisted(
                "The account is erased, but on no list that a restored backup is held to: start"
                " a service before any backup is restored"
            )
        sleep(_PAUSE_S)


def _is_waiting(storage: Storage, account: AccountId) -> bool:
    with storage.reading() as transaction:
        return account in transaction.pending_erasures.all()


def _list_here(account: AccountId, folder: Path) -> bool:
    """List an account in the directory of a stopped service; False if there is none."""
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
