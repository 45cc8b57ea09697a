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
    transaction: Transaction, device: Device, account: AccountId, now: datetime
) -> None:
    """Bind a phone as new to the locked account whose palm it showed.

    It leaves another account that does not trust it: a palm alone binds weakly.
    """
    if device.account not in (None, account) and not device.is_trusted:
        transaction.devices.unbind_new(device.device_id)
    if transaction.devices.bind(device.device_id, account, now, trusted=False):
        tell_trusted(transaction, account, NoticeKind.NEW_PHONE, now, but=device.device_id)
        transaction.audit.append(Event.PHONE_BOUND, now, {"by": "palm"})


def trust_phone(
    transaction: Transaction,
    account: AccountId,
    device_id: DeviceId,
    now: datetime,
    *,
    by: str,
    owns_from: datetime | None = None,
) -> None:
    """Trust a new phone of an account; nothing happens if it is none."""
    if transaction.devices.trust(device_id, account, now, owns_from):
        tell_trusted(transaction, account, NoticeKind.PHONE_TRUSTED, now, but=device_id)
        transaction.audit.append(Event.PHONE_TRUSTED, now, {"by": by})


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
