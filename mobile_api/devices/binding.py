"""Binds phones to accounts, and tells the account's trusted phones."""

from __future__ import annotations

from datetime import datetime

from mobile_api.errors import DeviceUnbound
from mobile_api.observability.audit import Event
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Device, DeviceId, NoticeKind, PhoneTrust
from oidc.types import AccountId


def require_bound(device: Device) -> AccountId:
    """Return the account of a device, or raise DeviceUnbound."""
    if device.account is None:
        raise DeviceUnbound("this phone belongs to no account")
    return device.account


def bind_new(
    transaction: Transaction, device_id: DeviceId, account: AccountId, now: datetime
) -> bool:
    """Bind an unbound phone that a palm recognised, as new; False if it is bound."""
    if not transaction.devices.bind(device_id, account, now, trusted=False):
        return False
    tell_trusted(transaction, account, NoticeKind.NEW_PHONE, now, but=device_id)
    transaction.audit.append(Event.PHONE_BOUND, now, {"by": "palm"})
    return True


def bind_trusted(
    transaction: Transaction, device_id: DeviceId, account: AccountId, now: datetime
) -> bool:
    """Bind an unbound phone that used a passkey, as trusted; False if it is bound."""
    if not transaction.devices.bind(device_id, account, now, trusted=True):
        return False
    tell_trusted(transaction, account, NoticeKind.PHONE_TRUSTED, now, but=device_id)
    transaction.audit.append(Event.PHONE_BOUND, now, {"by": "passkey"})
    return True


def trust_phone(
    transaction: Transaction,
    account: AccountId,
    device_id: DeviceId,
    now: datetime,
    *,
    by: str,
) -> None:
    """Trust a new phone of an account; nothing happens if it is none."""
    if transaction.devices.trust(device_id, account, now):
        tell_trusted(transaction, account, NoticeKind.PHONE_TRUSTED, now, but=device_id)
        transaction.audit.append(Event.PHONE_TRUSTED, now, {"by": by})


def leave_other_account(transaction: Transaction, device: Device, account: AccountId) -> None:
    """Unbind a new phone from any other account: a palm alone binds weakly."""
    if device.account not in (None, account) and not device.is_trusted:
        transaction.devices.unbind_new(device.device_id)


def tell_trusted(
    transaction: Transaction,
    account: AccountId,
    kind: NoticeKind,
    now: datetime,
    *,
    but: DeviceId | None = None,
) -> None:
    """Leave a notice for the trusted phones of an account."""
    for phone in transaction.devices.of_account(account):
        if phone.trust is PhoneTrust.TRUSTED and phone.device_id != but:
            transaction.notices.add(phone.device_id, kind, now)
