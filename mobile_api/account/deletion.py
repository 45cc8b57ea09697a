"""Use case: a person deletes their account.

In this order: ``lock_to_erase``, the gate, ``erase_account``, which records a pending erasure,
all in one transaction; the list of erasures, against which restored backups are checked; the
provider; and last the pending erasure goes. A job finishes what a fault or a crash left.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mobile_api.account.rules import Operation
from mobile_api.codes import digest_of, new_code
from mobile_api.errors import ErasureListFault, MobileError, NoSuchCode
from mobile_api.observability.audit import Event
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.stores.references import ListHead
from mobile_api.types import Clock, Device, DeviceId
from oidc.errors import DatabaseUnavailable
from oidc.types import AccountId

if TYPE_CHECKING:
    from mobile_api.account.gate import AccountGate, PalmProofs
    from mobile_api.provider import Provider


LOGGER: Final = logging.getLogger("thenar.mobile")


@dataclass(frozen=True, slots=True)
class DeletionService:
    """Deletes accounts.

    ``record_erased`` must raise ErasureListFault unless its list is on disk.
    """

    provider: Provider
    database: Database
    gate: AccountGate
    palm_proofs: PalmProofs
    record_erased: Callable[[Iterable[AccountId]], ListHead]
    clock: Clock

    def delete(self, device: Device, palm_proof: str) -> None:
        """Delete the account of a device that has just shown its palm.

        It is done with the first commit: what fails later, ``finish_pending_erasures`` does.

        Raises as ``AccountGate.lock``, PalmProofExpired, or DatabaseUnavailable: the list of
        erasures is damaged, and nothing was erased.
        """
        account = self.palm_proofs.require(device, palm_proof)
        try:
            self.record_erased(())
        except ErasureListFault as fault:
            raise DatabaseUnavailable("the list of erasures is damaged") from fault
        with self.database.write() as transaction:
            phones = lock_to_erase(transaction, account)
            self.gate.judge(transaction, device, Operation.DELETE_ACCOUNT)
            erase_account(transaction, account, phones, self.clock(), by="palm")
        try:
            self._finish_erasures({account: phones})
        except (MobileError, DatabaseUnavailable) as fault:
            LOGGER.warning("a deletion is not finished; will retry", exc_info=fault)

    def issue_code(self, device: Device, palm_proof: str) -> str:
        """Return a new deletion code for this account; an earlier code stops working.

        Raises as ``AccountGate.lock``, or PalmProofExpired.
        """
        self.palm_proofs.require(device, palm_proof)
        code = new_code()
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.TAKE_DELETION_CODE)
            transaction.deletion_codes.replace(account, digest_of("deletion", code))
        return code

    def delete_restored(
        self, listed: Callable[[Iterable[AccountId]], Sequence[AccountId]]
    ) -> None:
        """Delete accounts that a restored backup brought back.

        ``listed`` tells which of all accounts are on the list of erasures.
        """
        with self.database.read_in_transaction() as transaction:
            back = listed(transaction.references.accounts())
        for account in back:
            with self.database.write() as transaction:
                phones = lock_to_erase(transaction, account)
                erase_account(transaction, account, phones, self.clock(), by="restored backup")

    def finish_pending_erasures(self) -> None:
        """List every deleted account and make the provider delete it. Idempotent.

        Raises ErasureListFault if they cannot be listed; the provider deletes them even then.
        """
        with self.database.read() as transaction:
            waiting = transaction.pending_erasures.all()
        if waiting:
            self._finish_erasures(waiting)

    def _finish_erasures(self, erased: Mapping[AccountId, Sequence[DeviceId]]) -> None:
        try:
            head = self.record_erased(erased)
        finally:
            for account, phones in erased.items():
                self.provider.delete_account(account, phones)
        with self.database.write() as transaction:
            transaction.pending_erasures.count(head)
            for account in erased:
                transaction.pending_erasures.remove(account)


def lock_to_erase(transaction: Transaction, account: AccountId) -> Sequence[DeviceId]:
    """End an account's enrolments and challenges, and lock all else, in every writer's order.

    Enrolments, gallery, account, phones, challenges: then no two writers wait for each other.
    Returns the phones.
    """
    transaction.enrolments.discard_of(account)
    transaction.history.lock()
    transaction.references.lock_to_erase(account)
    phones = transaction.devices.lock_all(account)
    transaction.challenges.discard_of(account)
    return phones


def erase_account(
    transaction: Transaction,
    account: AccountId,
    phones: Sequence[DeviceId],
    now: datetime,
    *,
    by: str,
) -> None:
    """Erase a locked account with its phones; ``by`` says what proved that it was allowed."""
    for phone in phones:
        transaction.enrolments.discard(phone)  # begun while its account was being locked
        transaction.devices.erase(phone)
    _erase(transaction, account, phones, now, by=by)


def erase_released(
    transaction: Transaction, account: AccountId, phones: Sequence[DeviceId], now: datetime
) -> None:
    """Erase a locked account that the operator took its palms from.

    Its phones stay, without a name, until the notice of it has been there long enough.
    """
    transaction.devices.unbind_all(account)
    _erase(transaction, account, phones, now, by="dispute")


def _erase(
    transaction: Transaction,
    account: AccountId,
    phones: Sequence[DeviceId],
    now: datetime,
    *,
    by: str,
) -> None:
    """Erase what is left of an account, and record the pending erasure."""
    if transaction.references.erase(account, now, phones):
        transaction.history.record(account, now)
        transaction.audit.append(Event.ACCOUNT_DELETED, now, {"by": by})


def delete_by_code(transaction: Transaction, code: str, now: datetime) -> AccountId:
    """Erase the account of a code; a running service finishes this. Raises NoSuchCode."""
    account = transaction.deletion_codes.find(digest_of("deletion", code))
    if account is None:
        raise NoSuchCode("no account has this deletion code")
    phones = lock_to_erase(transaction, account)
    erase_account(transaction, account, phones, now, by="code")
    return account
