"""Use case: a new phone asks the account for trust, and gets it by waiting or by a code.

Another phone may approve what asks, see ``phones``; a passkey needs no request. Waiting has a
palm at its start and its end, every trusted phone shows the request in between, and an account
with a passkey or a recovery code does without it. No request holds up another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from mobile_api.account.gate import AccountGate
from mobile_api.account.palm_proofs import PalmProof, PalmProofs
from mobile_api.account.phones import is_open
from mobile_api.account.rules import Operation
from mobile_api.codes import new_code, recovery_digest_of
from mobile_api.devices import (
    bind_new,
    predecessor_of,
    tell_trusted,
    trust_phone,
    trust_returned,
)
from mobile_api.errors import NoSuchCode, PalmMismatch, RecoveryCodeWrong
from mobile_api.limits import GalleryBudget
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.push import PushService
from mobile_api.recognition.counted_identification import CountedIdentification, Probe
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import (
    Clock,
    Device,
    NoticeKind,
    PalmLock,
    PhoneRequest,
    PhoneTrust,
    TrustByWaiting,
    TrustWay,
)
from oidc.types import AccountId

LAPSES_AFTER: Final = timedelta(days=14)
"""How long after its waiting time a request may be finished."""

OWNS_AFTER: Final = timedelta(days=7)
"""How long a phone that waited only signs in."""

NETWORK_LIMIT: Final = 20
"""Most phones of one network that ask an account within a day and wait, or send messages."""


@dataclass(frozen=True, slots=True)
class PhoneTrustService:
    """Makes new phones trusted."""

    database: Database
    gate: AccountGate
    palms: CountedIdentification
    budget: GalleryBudget
    palm_proofs: PalmProofs
    push: PushService
    clock: Clock
    settings: MobileSettings
    provider: Provider

    def prove(self, device: Device, palm: Probe) -> PalmProof:
        """Return a palm proof; a phone that is not trusted becomes a new one of the account.

        Raises PalmMismatch or TooManyAttempts.
        """
        if device.is_trusted:
            return self.palm_proofs.prove(device, palm)
        compared = self.palms.compare(
            device, palm, device.account, searches=True, despite=PalmLock.PALM_ALONE
        )
        account = compared.account
        if account is None:
            raise PalmMismatch("no account has this palm")
        compared.charge.clear()
        with self.database.write() as transaction:
            if not transaction.references.lock_account(account, alone=True):
                raise PalmMismatch("no account has this palm")
            bind_new(transaction, device, account, self.clock())
        return self.palm_proofs.issue(replace(device, account=account))

    def ask(self, device: Device, palm_proof: str) -> None:
        """Ask for trust, or finish a request whose waiting time is over.

        Asking again changes nothing; a trusted phone needs nothing. Where too many ask from
        one network, only another phone, a passkey or a code helps the next.

        Raises DeviceUnbound or PalmProofExpired.
        """
        self.palm_proofs.require(device, palm_proof)
        now = self.clock()
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.ASK_TRUST)
            request = transaction.devices.request_of(device.device_id)
            is_crowd = self._is_crowd(transaction, device, account, now)
            may_wait = self._may_wait(transaction, account)
            waits = may_wait and not is_crowd
            if may_wait and _is_due(request, now):
                owns_from = now + OWNS_AFTER + timedelta(days=1)
                trust_phone(
                    transaction, account, device.device_id, now, by="time", owns_from=owns_from
                )
            elif _is_over(request, now, waits=waits):
                due_at = now + timedelta(hours=self.settings.new_phone_wait_h)
                ends_at = due_at + LAPSES_AFTER
                asked = PhoneRequest(now, due_at if waits else None, ends_at)
                if transaction.devices.ask(device.device_id, account, asked):
                    transaction.audit.append(Event.PHONE_TRUST_ASKED, now, {})
                    if not is_crowd:
                        self.push.notify(transaction, account)

    def recover(self, device: Device, code: str, palm_proof: str) -> None:
        """Trust a new phone by the recovery code, which then stops working.

        Raises DeviceUnbound, PalmProofExpired, RecoveryCodeWrong or TooManyAttempts.
        """
        self.palm_proofs.require(device, palm_proof)
        now = self.clock()
        with self.database.write() as transaction:
            self.budget.charge_attempt(transaction, device)
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.RECOVER)
            if not _is_code_of(transaction, account, code):
                raise RecoveryCodeWrong("this is not the recovery code of this account")
            trust_returned(transaction, self.provider, device, now, by="recovery code")
            transaction.recovery_codes.remove(account)

    def issue_code(self, device: Device, palm_proof: str) -> str:
        """Return a new recovery code; it replaces an earlier one and ends all waiting.

        Raises DeviceUnbound, PhoneNotTrusted, PhoneOwnsLater or PalmProofExpired.
        """
        self.palm_proofs.require(device, palm_proof)
        code = new_code()
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.TAKE_RECOVERY_CODE)
            transaction.recovery_codes.replace(account, recovery_digest_of(code))
            transaction.devices.end_waiting(account)
            who, now = device.device_id, self.clock()
            tell_trusted(transaction, account, NoticeKind.CODE_TAKEN, now, but=who)
        return code

    def ways(self, device: Device) -> Sequence[TrustWay]:
        """Return how this phone may become trusted, or own its account: best first.

        Empty for a phone that did not show a palm of the account.
        """
        if device.account is None or (device.is_trusted and device.owns_from is None):
            return []
        with self.database.read() as transaction:
            phones = transaction.devices.of_account(device.account)
            is_new = not device.is_trusted
            earlier = predecessor_of(transaction, device, self.clock())
            others = [p for p in phones if p.device_id != earlier]
            has = {
                TrustWay.PASSKEY: self._has_passkey(transaction, device.account),
                TrustWay.PHONE: is_new and any(p.trust is PhoneTrust.TRUSTED for p in others),
                TrustWay.CODE: transaction.recovery_codes.has_any(device.account),
                TrustWay.WAIT: is_new and self._may_wait(transaction, device.account),
            }
        return [way for way in TrustWay if has[way]]

    def _is_crowd(
        self, transaction: Transaction, device: Device, account: AccountId, now: datetime
    ) -> bool:
        """Return whether many phones of this one's network ask this account."""
        asking = [
            each.device_id
            for each in transaction.devices.of_account(account)
            if each.device_id != device.device_id and is_open(each, now)
        ]
        return self.budget.count_beside(transaction, device, asking) >= NETWORK_LIMIT

    def _may_wait(self, transaction: Transaction, account: AccountId) -> bool:
        """Return whether time makes phones of this account trusted."""
        if self.settings.trust_by_waiting is not TrustByWaiting.LAST_RESORT:
            return self.settings.trust_by_waiting is TrustByWaiting.ALWAYS
        has_code = transaction.recovery_codes.has_any(account)
        return not (has_code or self._has_passkey(transaction, account))

    def _has_passkey(self, transaction: Transaction, account: AccountId) -> bool:
        host = self.settings.rp_id
        return host is not None and transaction.passkeys.has_any(account, host)


def _is_code_of(transaction: Transaction, account: AccountId, code: str) -> bool:
    try:
        return transaction.recovery_codes.find(recovery_digest_of(code)) == account
    except NoSuchCode:
        return False


def _is_due(request: PhoneRequest | None, now: datetime) -> bool:
    if request is None or request.due_at is None:
        return False
    return request.due_at <= now < request.ends_at


def _is_over(request: PhoneRequest | None, now: datetime, *, waits: bool) -> bool:
    """Return whether asking begins again, with a whole waiting time."""
    return request is None or now >= request.ends_at or (waits and request.due_at is None)
