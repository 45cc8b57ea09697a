"""Binds phones to accounts, and tells the account's trusted phones.

A browser that deleted its key comes back as a new phone. Its cookie names the key that it had.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from mobile_api.errors import DeviceUnbound
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Device, DeviceId, NoticeKind, PhoneTrust
from oidc.types import AccountId

UNUSED_FOR: Final = timedelta(days=7)
"""After so long without a visit Safari deletes keys. A phone used since is not replaced."""


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


def predecessor_of(transaction: Transaction, device: Device, now: datetime) -> DeviceId | None:
    """Return the trusted, unused phone of the account that a new one was before, if any."""
    for phone in transaction.devices.of_account(require_bound(device)):
        is_earlier = phone.device_id == device.earlier and not device.is_trusted
        is_unused = (phone.used_on or phone.since) + UNUSED_FOR <= now
        if is_earlier and is_unused and phone.trust is PhoneTrust.TRUSTED:
            return phone.device_id
    return None


def trust_returned(
    transaction: Transaction, provider: Provider, device: Device, now: datetime, *, by: str
) -> None:
    """Trust a new phone, which its owner proved, in place of its predecessor."""
    account, predecessor = require_bound(device), predecessor_of(transaction, device, now)
    if predecessor is not None:
        transaction.devices.unbind(predecessor, account)
        provider.hand_over_sign_ins(account, predecessor, device.device_id)
        transaction.audit.append(Event.PHONE_REMOVED, now, {"by": "return"})
    trust_phone(transaction, account, device.device_id, now, by=by)


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
