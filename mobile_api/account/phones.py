"""Use cases: a person sees and decides about the account's phones; a new phone asks for trust.

Each change locks the account, so that of two phones at once one comes first and the other
learns that it came late.

A new phone gets trust by waiting or by a code. Another phone may approve what asks;
a passkey needs no request. Waiting has a palm at its start and its end, every
trusted phone shows the request in between. By default an account with a passkey or a recovery
code does without it (``trust_by_waiting``). No request holds up another one.
"""

import hashlib
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from mobile_api.account.gate import AccountGate, PalmProof, PalmProofs
from mobile_api.account.rules import Operation
from mobile_api.challenges.service import ChallengeService
from mobile_api.challenges.shown import Shown
from mobile_api.codes import digest_of, new_code
from mobile_api.devices import (
    bind_new,
    predecessor_of,
    tell_trusted,
    trust_phone,
    trust_returned,
)
from mobile_api.errors import NoSuchCode, PalmMismatch, PhoneGone, RecoveryCodeWrong
from mobile_api.limits import GalleryBudget
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.push import PushService
from mobile_api.recognition.identification import CountedIdentification
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.stores.account_codes import PalmLock
from mobile_api.storage.stores.devices import AccountPhone, Notice, PhoneRequest
from mobile_api.types import (
    Clock,
    Device,
    DeviceId,
    NoticeKind,
    PhoneTrust,
    TrustByWaiting,
    TrustWay,
)
from oidc.types import AccountId

NEW_SHOWN: Final = 20
"""Most new phones in the list of an account's phones."""

_REMOVALS: Final = {
    Operation.REFUSE_PHONE: Event.PHONE_REFUSED,
    Operation.REMOVE_PHONE: Event.PHONE_REMOVED,
}


@dataclass(frozen=True, slots=True)
class PhoneStanding:
    """A phone's state, requests and notices, read at each visit.

    Attributes:
        handle: its own; None if it belongs to no account.
        request: its own request, if it is open.
        waiting: new phones that ask this trusted one: the latest that waits, those that time
            does not help, and the others that wait, latest first.
    """

    trust: PhoneTrust
    handle: str | None
    request: PhoneRequest | None
    waiting: Sequence[tuple[str, AccountPhone]]
    notices: Sequence[Notice]


@dataclass(frozen=True, slots=True)
class PhoneService:
    """Lists and changes the phones of an account."""

    database: Database
    gate: AccountGate
    palm_proofs: PalmProofs
    provider: Provider
    clock: Clock

    def standing(self, device: Device) -> PhoneStanding:
        """Return how far a phone is trusted, and who asks it for trust."""
        now = self.clock()
        with self.database.read() as transaction:
            phones = _phones(transaction, device)
            notices = transaction.notices.of(device.device_id)
        own = [each for each in phones if each[1].device_id == device.device_id]
        waiting = [each for each in phones if device.is_trusted and is_open(each[1], now)]
        waiting.sort(key=_asked_at, reverse=True)
        waiting[1:] = sorted(waiting[1:], key=_waits)
        request = next((each.request for _, each in own if is_open(each, now)), None)
        handle = next((name for name, _ in own), None)
        return PhoneStanding(device.trust, handle, request, waiting, notices)

    def of(self, device: Device) -> Sequence[tuple[str, AccountPhone]]:
        """Return the phones of a device's account; of many new ones only the latest."""
        with self.database.read() as transaction:
            phones = _phones(transaction, device)
        new = [each for each in phones if each[1].trust is PhoneTrust.NEW]
        return [*phones[: len(phones) - len(new)], *new[-NEW_SHOWN:]]

    def approve(self, device: Device, handle: str, palm_proof: str) -> None:
        """Trust a phone that asks for it.

        Raises DeviceUnbound, PhoneNotTrusted, PhoneOwnsLater, PalmProofExpired, or PhoneGone:
        it was refused, removed or approved meanwhile, or its request lapsed.
        """
        self.palm_proofs.require(device, palm_proof)
        now = self.clock()
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, Operation.APPROVE_PHONE)
            phone = _find(transaction, account, handle)
            if not is_open(phone, now):
                raise PhoneGone("this phone does not ask any more")
            trust_phone(transaction, account, phone.device_id, now, by="phone")

    def refuse(self, device: Device, handle: str) -> None:
        """Remove a new phone from the account, and end what it signed in to.

        Raises DeviceUnbound, PhoneNotTrusted, PhoneOwnsLater or PhoneGone.
        """
        self._remove(device, handle, Operation.REFUSE_PHONE, end=True)

    def refuse_all(self, device: Device) -> None:
        """Refuse every phone that asks. Raises like ``refuse``, but for PhoneGone."""
        for handle, _ in self.standing(device).waiting:
            with suppress(PhoneGone):
                self.refuse(device, handle)

    def remove(
        self, device: Device, handle: str, palm_proof: str, *, end_sign_ins: bool
    ) -> None:
        """Remove a phone, end its logins and, if wanted, what it signed in to.

        Its passkey and a recovery code do not bring it back, and no code deletes the account.

        Raises DeviceUnbound, PhoneNotTrusted, PhoneOwnsLater, PalmProofExpired or PhoneGone.
        """
        self.palm_proofs.require(device, palm_proof)
        self._remove(device, handle, Operation.REMOVE_PHONE, end=end_sign_ins)

    def _remove(self, device: Device, handle: str, operation: Operation, *, end: bool) -> None:
        with self.database.write() as transaction:
            account = self.gate.lock(transaction, device, operation)
            phone = _find(transaction, account, handle)
            if operation is Operation.REFUSE_PHONE and phone.trust is not PhoneTrust.NEW:
                raise PhoneGone("this phone is trusted already: remove it")
            transaction.devices.unbind(phone.device_id, account)
            # A phone that was never trusted has none; refusing it must not spend the owner's.
            if phone.trust is PhoneTrust.TRUSTED:
                transaction.passkeys.remove_strays(account)
                transaction.recovery_codes.remove(account)
                transaction.deletion_codes.remove(account)
            transaction.audit.append(_REMOVALS[operation], self.clock(), {})
            # Before the commit: after a crash the phone is still there, to be removed again.
            self._end(account, phone, end=end)
        # After it: for a login that has just slipped through.
        self._end(account, phone, end=end)

    def _end(self, account: AccountId, phone: AccountPhone, *, end: bool) -> None:
        self.provider.cancel_logins(phone.device_id)
        if end:
            self.provider.revoke_sign_ins(account, phone.device_id)


def handle_of(account: AccountId, device_id: DeviceId) -> str:
    """Return the name of a phone in this API: hexadecimal, never like a command-line option."""
    digest = hashlib.sha256(b"thenar phone" + account.bytes + device_id.encode()).digest()
    return digest[:16].hex()


def _phones(transaction: Transaction, device: Device) -> list[tuple[str, AccountPhone]]:
    if device.account is None:
        return []
    phones = transaction.devices.of_account(device.account)
    return [(handle_of(device.account, each.device_id), each) for each in phones]


def _asked_at(asking: tuple[str, AccountPhone]) -> datetime:
    phone = asking[1]
    request = phone.request
    return phone.since if request is None else request.due_at or request.asked_at


def _waits(asking: tuple[str, AccountPhone]) -> bool:
    request = asking[1].request
    return request is not None and request.due_at is not None


def _find(transaction: Transaction, account: AccountId, handle: str) -> AccountPhone:
    for phone in transaction.devices.of_account(account):
        if hmac.compare_digest(handle_of(account, phone.device_id), handle):
            return phone
    raise PhoneGone("the account has no such phone any more")


def is_open(phone: AccountPhone, now: datetime) -> bool:
    """Return whether a phone asks for trust now."""
    return phone.request is not None and now < phone.request.ends_at


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
    reader: ChallengeService
    palms: CountedIdentification
    budget: GalleryBudget
    palm_proofs: PalmProofs
    push: PushService
    clock: Clock
    settings: MobileSettings
    provider: Provider

    def prove(self, device: Device, shown: Shown) -> PalmProof:
        """Return a palm proof; a phone that is not trusted becomes a new one of the account.

        Raises PalmMismatch or TooManyAttempts.
        """
        is_own = device.is_trusted
        ignored = PalmLock.NOWHERE if is_own else PalmLock.PALM_ALONE
        with self.budget.charged(device, own_account=True) as charge:
            palm = self.reader.read(device, shown)
            account = self.palms.compare(
                charge, palm, device.account, searches=not is_own, ignored_lock=ignored
            )
        if account is None:
            of_own = "not a palm of this phone's account"
            raise PalmMismatch(of_own if is_own else "no account has this palm")
        charge.clear()
        if is_own:
            return self.palm_proofs.issue(device)
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

        A phone that lost the response may repeat this; nothing changes.

        Raises DeviceUnbound, PalmProofExpired, RecoveryCodeWrong or TooManyAttempts.
        """
        self.palm_proofs.require(device, palm_proof)
        if device.is_trusted and device.owns_from is None:
            return
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
            transaction.recovery_codes.replace(account, digest_of("recovery", code))
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
        return transaction.recovery_codes.find(digest_of("recovery", code)) == account
    except NoSuchCode:
        return False


def _is_due(request: PhoneRequest | None, now: datetime) -> bool:
    if request is None or request.due_at is None:
        return False
    return request.due_at <= now < request.ends_at


def _is_over(request: PhoneRequest | None, now: datetime, *, waits: bool) -> bool:
    """Return whether asking begins again, with a whole waiting time."""
    return request is None or now >= request.ends_at or (waits and request.due_at is None)
