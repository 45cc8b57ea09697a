"""Use case: a new phone becomes trusted without another phone: by waiting, or by a code.

Waiting has a palm at its start and its end, and every trusted phone shows the request in
between. When it ends is fixed at its start, whatever the operator sets later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mobile_api.account.gate import AccountGate
from mobile_api.account.palm_proofs import PalmProofs
from mobile_api.account.phones import is_open
from mobile_api.account.rules import Operation
from mobile_api.codes import code_of, new_code, recovery_digest_of
from mobile_api.devices.binding import bind_new, leave_other_account, trust_phone
from mobile_api.errors import (
    DeviceUnbound,
    NoSuchCode,
    PalmMismatch,
    RecoveryCodeWrong,
    TooManyAttempts,
)
from mobile_api.limits.gallery_budget import GalleryBudget
from mobile_api.observability.audit import Event
from mobile_api.push.service import PushService
from mobile_api.recognition.counted_identification import CountedIdentification, Probe
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import (
    AccountPhone,
    Clock,
    Device,
    EnrolmentId,
    PhoneRequest,
    PhoneTrust,
    Recovery,
)
from oidc.types import AccountId

LAPSES_AFTER: Final = timedelta(days=14)
"""How long after its waiting time a request may be finished."""

REQUESTS_LIMIT: Final = 5
"""Most open requests of one account."""


@dataclass(frozen=True, slots=True)
class PhoneTrustService:
    """Makes new phones trusted.

    Attributes:
        code_keys: secrets of recovery codes that enrolments give, the current one first.
    """

    database: Database
    gate: AccountGate
    palms: CountedIdentification
    budget: GalleryBudget
    palm_proofs: PalmProofs
    push: PushService
    clock: Clock
    settings: MobileSettings
    code_keys: Callable[[], Sequence[bytes]]

    def ask(self, device: Device, palm: Probe) -> None:
        """Ask for trust with a palm, or finish a request whose waiting time is over.

        An unbound phone is first bound to the account of the palm. Asking again changes
        nothing; a trusted phone needs nothing.

        Raises PalmMismatch or TooManyAttempts.
        """
        account = self._account_of(device, palm)
        now = self.clock()
        with self.database.write() as transaction:
            phone = self._new_phone(transaction, device, account, now)
            if phone.trust is PhoneTrust.TRUSTED:
                return
            if _is_due(phone.request, now):
                trust_phone(transaction, account, device.device_id, now, by="time")
            elif phone.request is None or now >= phone.request.ends_at:
                _require_room(transaction.devices.of_account(account), now)
                transaction.devices.ask(device.device_id, account, self._request(now))
                self.push.notify(transaction, account)
                transaction.audit.append(Event.PHONE_TRUST_ASKED, now, {})

    def recover(self, device: Device, code: str, palm_proof: str) -> None:
        """Trust a new phone by the recovery code, which then stops working.

        Raises DeviceUnbound, PalmProofExpired, RecoveryCodeWrong or TooManyAttempts.
        """
        self.palm_proofs.require(device, palm_proof)
        now = self.clock()
        with self.database.write() as transaction:
            self.budget.charge_attempt(transaction, device)
        with self.database.write() as transaction:
            if device.account is not None:  # none may give this code again
                transaction.enrolments.discard_of(device.account)
            account = self.gate.lock(transaction, device, Operation.RECOVER)
            if not self._is_code_of(transaction, account, code):
                raise RecoveryCodeWrong("this is not the recovery code of this account")
            trust_phone(transaction, account, device.device_id, now, by="recovery code")
            transaction.recovery_codes.remove(account)

    def issue_code(self, device: Device, palm: Probe) -> str:
        """Return a new recovery code; an earlier one stops working.

        Raises DeviceUnbound, PhoneNotTrusted, PalmMismatch or TooManyAttempts.
        """
        self.palms.require_owner(device, palm)
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.TAKE_RECOVERY_CODE)
            return new_recovery_code(transaction, account)

    def code_at_enrolment(self, device: Device, enrolment_id: EnrolmentId) -> str | None:
        """Return the code of an account that has no other, if the operator demands codes.

        Asked again, the same code, for a phone that lost the response; it is made from the
        enrolment's secret id, until its deadline or until a code is used.
        """
        if self.settings.recovery is not Recovery.CODE:
            return None
        codes = [code_of(key, enrolment_id) for key in self.code_keys()]
        with self.database.write() as transaction:
            if not transaction.enrolments.lock(enrolment_id, device.device_id, self.clock()):
                return None
            account = self.gate.lock(transaction, device, Operation.TAKE_RECOVERY_CODE)
            if not transaction.recovery_codes.has_any(account):
                transaction.recovery_codes.replace(account, recovery_digest_of(codes[0]))
            return next((c for c in codes if self._is_code_of(transaction, account, c)), None)

    def _account_of(self, device: Device, palm: Probe) -> AccountId:
        if device.is_trusted:
            return self.palms.require_owner(device, palm)
        found = self.palms.find(device, palm, None, searches=True)
        if found is None:
            raise PalmMismatch("no account has this palm")
        return found

    def _new_phone(
        self, transaction: Transaction, device: Device, account: AccountId, now: datetime
    ) -> AccountPhone:
        """Return the phone in its locked account, bound now if it was another's or nobody's."""
        if not transaction.references.lock_account(account, alone=True):
            raise PalmMismatch("no account has this palm")
        leave_other_account(transaction, device, account)
        bind_new(transaction, device.device_id, account, now)
        for phone in transaction.devices.of_account(account):
            if phone.device_id == device.device_id:
                return phone
        raise DeviceUnbound("this phone was removed from the account")

    def _request(self, now: datetime) -> PhoneRequest:
        due_at = now + timedelta(hours=self.settings.new_phone_wait_h)
        waits = self.settings.recovery is Recovery.WAIT
        return PhoneRequest(now, due_at if waits else None, due_at + LAPSES_AFTER)

    def _is_code_of(self, transaction: Transaction, account: AccountId, code: str) -> bool:
        try:
            return transaction.recovery_codes.find(recovery_digest_of(code)) == account
        except NoSuchCode:
            return False


def new_recovery_code(transaction: Transaction, account: AccountId) -> str:
    """Save and return a new recovery code of a locked account."""
    code = new_code()
    transaction.recovery_codes.replace(account, recovery_digest_of(code))
    return code


def _require_room(phones: Sequence[AccountPhone], now: datetime) -> None:
    """Keep requests so few that their owner can look at each."""
    if sum(is_open(each, now) for each in phones) >= REQUESTS_LIMIT:
        raise TooManyAttempts("too many phones ask this account for trust")


def _is_due(request: PhoneRequest | None, now: datetime) -> bool:
    if request is None or request.due_at is None:
        return False
    return request.due_at <= now < request.ends_at
