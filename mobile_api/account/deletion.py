"""Use case: a person takes everything back.

First everything biometric goes, in one transaction that also notes that the provider still has
to forget the account; then the provider forgets. If the process dies in between, the note is
found at the next start. Nobody can be recognised whose pseudonyms are half gone. The note goes
when the account also stands on the list that restored backups are held to; before that nobody
is told that it is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from engine.errors import DirectoryFault
from mobile_api.account.deletion_codes import digest_of, new_code
from mobile_api.account.verification import PalmVerification
from mobile_api.errors import DeletionUnlisted, NoSuchCode, PalmMismatch
from mobile_api.login.service import Door
from mobile_api.observability.audit import Event
from mobile_api.storage.transaction import Storage, Transaction
from mobile_api.types import CapturedPalm, Clock, Device
from oidc.types import AccountId


class DeletionService:
    """Deletes accounts.

    Args:
        door: to the provider.
        storage: where references are kept.
        own_palm: compares.
        list_erased: puts accounts on the list that a restored backup is held to; raises
            ``DirectoryFault`` unless they are on disk.
        clock: what time it is.
    """

    def __init__(
        self,
        door: Door,
        storage: Storage,
        verification: PalmVerification,
        record_erased: Callable[[Iterable[AccountId]], None],
        clock: Clock,
    ) -> None:
        self._door, self._storage = door, storage
        self._verification, self._record_erased, self._clock = (
            verification,
            record_erased,
            clock,
        )

    def delete(self, device: Device, palm: Callable[[], CapturedPalm]) -> None:
        """Delete the account of a device, if this is its palm; once told, for good.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmMismatch: the palm is not this account's.
            TooManyAttempts: the device has to wait.
            DeletionUnlisted: erased, but not on that list yet; ``finish_departures`` does it.
        """
        account = self._verification.require(device, palm)
        self._erase(account, by="palm")
        try:
            self._finish_erasures([account])
        except DirectoryFault as fault:
            raise DeletionUnlisted(
                "Your palm is deleted, but this is not yet kept as it has to be. It will be:"
                " there is nothing you have to do."
            ) from fault

    def issue_code(self, device: Device, palm: Callable[[], CapturedPalm]) -> str:
        """Return a code that deletes this account; one given before is worth nothing now.

        Raises:
            DeviceUnbound: the device belongs to no account.
            PalmMismatch: the palm is not this account's.
            TooManyAttempts: the device has to wait.
        """
        account = self._verification.require(device, palm)
        code = new_code()
        with self._storage.writing() as transaction:
            if not transaction.references.lock_account(account):
                raise PalmMismatch("not a palm of this phone's account")
            transaction.deletion_codes.replace(account, digest_of(code))
        return code

    def erase_again(self, accounts: Iterable[AccountId]) -> int:
        """Delete again whatever a restored backup brought back; return how many accounts.

        Args:
            accounts: that were deleted once.
        """
        with self._storage.reading() as transaction:
            back = [each for each in accounts if transaction.references.has_account(each)]
        for account in back:
            self._erase(account, by="restored backup")
        return len(back)

    def finish_pending_erasures(self) -> None:
        """List every account that was erased here, and let the provider forget it.

        Twice does no harm. The provider forgets also those that cannot be listed yet.

        Raises:
            DirectoryFault: they cannot be listed; the next time tries again.
        """
        with self._storage.reading() as transaction:
            waiting = transaction.pending_erasures.all()
        if waiting:
            self._finish_erasures(waiting)

    def _finish_erasures(self, erased: Sequence[AccountId]) -> None:
        """List accounts and let the provider forget them, then take their notes away."""
        try:
            self._record_erased(erased)
        finally:
            for account in erased:
                self._door.erase_account(account)
        with self._storage.writing() as transaction:
            for account in erased:
                transaction.pending_erasures.remove(account)

    def _erase(self, account: AccountId, *, by: str) -> None:
        with self._storage.writing() as transaction:
            erase_account(transaction, account, self._clock(), by=by)


def erase_account(
    transaction: Transaction, account: AccountId, now: datetime, *, by: str
) -> None:
    """Erase all that is biometric of an account, and note what the provider has to forget.

    Args:
        transaction: in which all of it happens.
        account: whose.
        now: aware, UTC.
        by: what proved that it may be done.
    """
    transaction.enrolments.discard_of(account)
    transaction.devices.unbind_all(account)
    transaction.history.lock()  # before the references, as everybody who changes them does
    if transaction.references.erase(account, now):
        transaction.history.record(account, now)
        transaction.audit.append(Event.ACCOUNT_DELETED, now, {"by": by})


def erase_by_code(transaction: Transaction, code: str, now: datetime) -> AccountId:
    """Erase the account of a deletion code; a running service finishes its departure.

    Raises:
        NoSuchCode: it is nobody's.
    """
    account = transaction.deletion_codes.find(digest_of(code))
    if account is None:
        raise NoSuchCode("no account has this deletion code")
    erase_account(transaction, account, now, by="code")
    return account
