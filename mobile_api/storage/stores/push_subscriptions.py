"""Subscriptions of trusted phones to Web Push, and when their next message is due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import delete, insert, select, update

from mobile_api.storage import schema as t
from mobile_api.types import DeviceId
from oidc.plumbing.store import Store
from oidc.types import AccountId

_PUSH: Final = t.push_subscriptions.c
_OF_TRUSTED: Final = (
    select(_PUSH.device_id, _PUSH.encrypted, t.devices.c.account)
    .join(t.devices, t.devices.c.device_id == _PUSH.device_id)
    .where(t.devices.c.trusted_at.is_not(None))
)


@dataclass(frozen=True, slots=True)
class DuePush:
    """A phone that is to be sent a message."""

    device_id: DeviceId
    account: AccountId
    encrypted: bytes = field(repr=False)


class PushSubscriptions(Store):
    """At most one subscription a phone."""

    def has(self, device_id: DeviceId) -> bool:
        """Return whether a phone is subscribed."""
        return self._exists(select(_PUSH.device_id).where(_PUSH.device_id == device_id))

    def replace(self, device_id: DeviceId, encrypted: bytes) -> None:
        """Store a phone's subscription, in place of an earlier one."""
        self.remove(device_id)
        values = {"device_id": device_id, "encrypted": encrypted}
        self._connection.execute(insert(t.push_subscriptions), values)

    def remove(self, device_id: DeviceId) -> None:
        """Delete a phone's subscription, if there is one."""
        mine = _PUSH.device_id == device_id
        self._connection.execute(delete(t.push_subscriptions).where(mine))

    def schedule(self, account: AccountId, due_at: Callable[[], datetime]) -> None:
        """Give each trusted phone of an account a time, unless it has one."""
        idle = _OF_TRUSTED.where(t.devices.c.account == account, _PUSH.due_at.is_(None))
        for row in self._connection.execute(idle).all():
            self.postpone(DeviceId(row.device_id), due_at())

    def is_asked(self, account: AccountId, now: datetime) -> bool:
        """Return whether a new phone asks an account for trust."""
        phones = t.devices.c
        asks = phones.account == account, phones.request_ends_at > now
        return self._exists(select(phones.device_id).where(*asks))

    def count_due(self, now: datetime) -> int:
        """Return how many messages should have been sent."""
        phones = t.devices.c
        is_trusted = phones.device_id == _PUSH.device_id, phones.trusted_at.is_not(None)
        return self._count_rows(_PUSH.due_at <= now, *is_trusted)

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[DuePush]:
        """Return what is due and postpone it: no other process gets it meanwhile."""
        due = _OF_TRUSTED.where(_PUSH.due_at <= now).order_by(_PUSH.due_at).limit(count)
        locked = due.with_for_update(skip_locked=True, of=t.push_subscriptions)
        found = self._all(DuePush, locked)
        for each in found:
            self.postpone(each.device_id, until)
        return found

    def postpone(self, device_id: DeviceId, due_at: datetime | None) -> None:
        """Set when a phone's next message is due; None: never."""
        mine = update(t.push_subscriptions).where(_PUSH.device_id == device_id)
        self._connection.execute(mine.values(due_at=due_at))
