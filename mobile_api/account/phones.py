"""Use case: a person sees the phones of the account, and approves, refuses or removes one.

Each change locks the account, so that of two phones at once one comes first and the other
learns that it came late.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mobile_api.account.gate import AccountGate
from mobile_api.account.palm_proofs import PalmProofs
from mobile_api.account.rules import Operation
from mobile_api.devices import trust_phone
from mobile_api.errors import PhoneGone
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import (
    AccountPhone,
    Clock,
    Device,
    DeviceId,
    Notice,
    PhoneRequest,
    PhoneTrust,
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


class PhoneService:
    """Lists and changes the phones of an account."""

    def __init__(
        self,
        database: Database,
        gate: AccountGate,
        palm_proofs: PalmProofs,
        provider: Provider,
        clock: Clock,
    ) -> None:
        self._database, self._gate, self._palm_proofs = database, gate, palm_proofs
        self._provider, self._clock = provider, clock

    def standing(self, device: Device) -> PhoneStanding:
        """Return how far a phone is trusted, and who asks it for trust."""
        now = self._clock()
        with self._database.read() as transaction:
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
        with self._database.read() as transaction:
            phones = _phones(transaction, device)
        new = [each for each in phones if each[1].trust is PhoneTrust.NEW]
        return [*phones[: len(phones) - len(new)], *new[-NEW_SHOWN:]]

    def approve(self, device: Device, handle: str, palm_proof: str) -> None:
        """Trust a phone that asks for it.

        Raises DeviceUnbound, PhoneNotTrusted, PalmProofExpired, or PhoneGone: it was refused,
        removed or approved meanwhile, or its request lapsed.
        """
        self._palm_proofs.require(device, palm_proof)
        now = self._clock()
        with self._database.write() as transaction:
            account = self._gate.lock(transaction, device, Operation.APPROVE_PHONE)
            phone = _find(transaction, account, handle)
            if not is_open(phone, now):
                raise PhoneGone("this phone does not ask any more")
            trust_phone(transaction, account, phone.device_id, now, by="phone")

    def refuse(self, device: Device, handle: str) -> None:
        """Remove a new phone from the account, and end what it signed in to.

        Raises DeviceUnbound, PhoneNotTrusted or PhoneGone.
        """
        with self._removing(device, handle, Operation.REFUSE_PHONE, end=True) as phone:
            if phone.trust is not PhoneTrust.NEW:
                raise PhoneGone("this phone is trusted already: remove it")

    def refuse_all(self, device: Device) -> None:
        """Refuse every phone that asks. Raises DeviceUnbound or PhoneNotTrusted."""
        for handle, _ in self.standing(device).waiting:
            with suppress(PhoneGone):
                self.refuse(device, handle)

    def remove(
        self, device: Device, handle: str, palm_proof: str, *, end_sign_ins: bool
    ) -> None:
        """Remove a phone, end its logins and, if wanted, what it signed in to.

        Its passkey and a recovery code do not bring it back, and no code deletes the account.

        Raises DeviceUnbound, PhoneNotTrusted, PalmProofExpired or PhoneGone.
        """
        self._palm_proofs.require(device, palm_proof)
        with self._removing(device, handle, Operation.REMOVE_PHONE, end=end_sign_ins):
            pass

    @contextmanager
    def _removing(
        self, device: Device, handle: str, operation: Operation, *, end: bool
    ) -> Iterator[AccountPhone]:
        """Find a phone, let the caller object, and remove it with its open logins."""
        with self._database.write() as transaction:
            account = self._gate.lock(transaction, device, operation)
            phone = _find(transaction, account, handle)
            yield phone
            transaction.devices.unbind(phone.device_id, account)
            # A phone that was never trusted has none; refusing it must not spend the owner's.
            if phone.trust is PhoneTrust.TRUSTED:
                transaction.passkeys.remove_strays(account)
                transaction.recovery_codes.remove(account)
                transaction.deletion_codes.remove(account)
            transaction.audit.append(_REMOVALS[operation], self._clock(), {})
            # Before the commit: after a crash the phone is still there, to be removed again.
            self._end(account, phone, end=end)
        # After it: for a login that has just slipped through.
        self._end(account, phone, end=end)

    def _end(self, account: AccountId, phone: AccountPhone, *, end: bool) -> None:
        self._provider.cancel_logins(phone.device_id)
        if end:
            self._provider.revoke_sign_ins(account, phone.device_id)


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
