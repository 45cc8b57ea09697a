"""Registered phones, their used nonces, notices, and subscriptions to Web Push."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select

from mobile_api.errors import DeviceUnknown
from mobile_api.storage import schema as t
from mobile_api.types import Device, DeviceId, NoticeKind, PhoneTrust
from oidc.plumbing.store import Store, rows
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class PhoneRequest:
    """A new phone's request to become trusted; times aware, UTC.

    Attributes:
        due_at: when waiting is over; None if only approval or a code helps.
        ends_at: when the request lapses.
    """

    asked_at: datetime
    due_at: datetime | None
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class AccountPhone:
    """A phone of an account, as its owner sees it; ``since`` and ``used_on`` aware, UTC."""

    device_id: DeviceId
    name: str = field(repr=False)
    trust: PhoneTrust
    since: datetime
    used_on: datetime | None
    request: PhoneRequest | None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that an owner must hear of; ``at`` is its day, aware, UTC."""

    notice_id: UUID
    kind: NoticeKind
    at: datetime


class UsedNonces(Store):
    """Used nonces, kept until they would have expired."""

    def consume(self, digest: bytes, expires_at: datetime) -> bool:
        """Mark a nonce used; False if it was used before.

        Atomic: of two concurrent calls with one digest, exactly one returns True.
        """
        return self._insert_if_absent(t.spent_nonces, digest=digest, expires_at=expires_at)


_DEVICE: Final = t.devices.c
_IS_REFERRED: Final = or_(
    *(
        select(table.c.device_id).where(table.c.device_id == _DEVICE.device_id).exists()
        for table in (t.enrolments, t.notices, t.stations, t.motion_codes)
    )
)
_UNBOUND: Final = dict.fromkeys(
    (
        *("account", "bound_at", "used_on", "trusted_at", "owns_from"),
        *("asked_at", "due_at", "request_ends_at"),
    )
)

_NEW_RETENTION: Final = timedelta(days=30)
"""How long a new phone is remembered that is not used."""

_NOTICES: Final = 20
"""Most notices of one phone that are shown; more cannot flood it."""


class Devices(Store):
    """Registered phones. A phone changes only while its account is locked."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False if its key is registered already."""
        return self._insert_if_absent(
            t.devices, device_id=device_id, name=name, registered_at=at
        )

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key, or None."""
        row = self._row(rows(t.devices, device_id=device_id))
        return None if row is None else _device(row)

    def bind(
        self, device_id: DeviceId, account: AccountId, at: datetime, *, trusted: bool
    ) -> bool:
        """Bind an unbound phone to an account; False if it is bound already.

        Atomic: of two concurrent calls exactly one returns True.
        """
        trusted_at = at if trusted else None
        values = {"account": account, "bound_at": at, "trusted_at": trusted_at}
        return self._change(device_id, _DEVICE.account.is_(None), values)

    def trust(
        self,
        device_id: DeviceId,
        account: AccountId,
        at: datetime,
        owns_from: datetime | None = None,
    ) -> bool:
        """Trust a new phone of this account and end its request; False if it is none.

        With ``owns_from`` it only signs in until then. One that only signs in may own now.
        """
        ended = dict.fromkeys(("asked_at", "due_at", "request_ends_at"))
        owns_later = and_(_DEVICE.account == account, _DEVICE.owns_from.is_not(None))
        values = {**ended, "trusted_at": at, "owns_from": owns_from}
        return self._change(device_id, or_(_is_new_phone_of(account), owns_later), values)

    def ask(self, device_id: DeviceId, account: AccountId, request: PhoneRequest) -> bool:
        """Save the request of a new phone of this account; False if it is none."""
        asked_at, due_at, ends_at = request.asked_at, request.due_at, request.ends_at
        values = {"asked_at": asked_at, "due_at": due_at, "request_ends_at": ends_at}
        return self._change(device_id, _is_new_phone_of(account), values)

    def end_waiting(self, account: AccountId) -> None:
        """Let time make none of the phones trusted that ask this account."""
        self._update(t.devices, {"due_at": None}, account=account)

    def request_of(self, device_id: DeviceId) -> PhoneRequest | None:
        """Return the request of a phone, also one that lapsed."""
        row = self._row(rows(t.devices, device_id=device_id))
        return None if row is None else _request(row)

    def use(self, device_id: DeviceId, at: datetime) -> None:
        """Save the day on which a phone was last used."""
        is_other_day = or_(_DEVICE.used_on.is_(None), _DEVICE.used_on != at)
        self._change(device_id, is_other_day, {"used_on": at})

    def of_account(self, account: AccountId) -> list[AccountPhone]:
        """Return an account's phones, trusted ones first, oldest first."""
        order = _DEVICE.trusted_at.is_(None), _DEVICE.bound_at, _DEVICE.device_id
        found = self._connection.execute(rows(t.devices, account=account).order_by(*order))
        return [
            AccountPhone(r.device_id, r.name, _trust(r), r.bound_at, r.used_on, _request(r))
            for r in found
        ]

    def trusted_of(self, account: AccountId) -> list[DeviceId]:
        """Return an account's trusted phones."""
        trusted = devices_of(account).where(_DEVICE.trusted_at.is_not(None))
        return list(self._connection.execute(trusted.order_by(_DEVICE.device_id)).scalars())

    def unbind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Remove a phone from this account; False if it is none of its phones."""
        for table in (t.trusted_devices, t.push_subscriptions, t.references, t.notices):
            self._delete(table, device_id=device_id)
        return self._change(device_id, _DEVICE.account == account, _UNBOUND)

    def unbind_new(self, device_id: DeviceId) -> None:
        """Remove a phone that is not trusted from its account."""
        self._change(device_id, _DEVICE.trusted_at.is_(None), _UNBOUND)

    def hold(self, device_id: DeviceId) -> Device:
        """Return a phone and keep it until the transaction ends. Raises DeviceUnknown."""
        its = rows(t.devices, device_id=device_id)
        row = self._row(its.with_for_update(read=True, key_share=True))
        if row is None:
            raise DeviceUnknown("this key is not registered any more")
        return _device(row)

    def lock_all(self, account: AccountId) -> list[DeviceId]:
        """Return an account's phones; their transactions have ended, and no other locks one."""
        locked = devices_of(account).order_by(_DEVICE.device_id).with_for_update()
        return list(self._connection.execute(locked).scalars())

    def unbind_all(self, account: AccountId) -> None:
        """Unbind every phone of this account, and erase its name and push subscription."""
        its = t.push_subscriptions.c.device_id.in_(devices_of(account))
        self._delete(t.push_subscriptions, its)
        self._update(t.devices, _UNBOUND | {"name": ""}, account=account)

    def erase(self, device_id: DeviceId) -> None:
        """Delete a locked phone, and the references that its sign-ins added."""
        self._delete(t.references, device_id=device_id)
        self._delete(t.devices, device_id=device_id)

    def purge(self, before: datetime, now: datetime) -> None:
        """Delete phones without an account, registered before then, that nothing waits for.

        New phones too that were not used for weeks: who has a picture of a palm adds many.
        """
        is_unbound = and_(_DEVICE.account.is_(None), _DEVICE.registered_at < before)
        last_used = func.coalesce(_DEVICE.used_on, _DEVICE.bound_at)
        is_idle = and_(
            _DEVICE.account.is_not(None),
            _DEVICE.trusted_at.is_(None),
            last_used < now - _NEW_RETENTION,
            or_(_DEVICE.request_ends_at.is_(None), _DEVICE.request_ends_at <= now),
        )
        self._purge(t.devices, and_(or_(is_unbound, is_idle), ~_IS_REFERRED))

    def _change(
        self, device_id: DeviceId, condition: ColumnElement[bool], values: Mapping[str, object]
    ) -> bool:
        return self._update(t.devices, values, condition, device_id=device_id) == 1


def devices_of(account: AccountId) -> Select[Any]:
    """Select an account's phones."""
    return select(_DEVICE.device_id).where(_DEVICE.account == account)


def _is_new_phone_of(account: AccountId) -> ColumnElement[bool]:
    return and_(_DEVICE.account == account, _DEVICE.trusted_at.is_(None))


def _device(row: Row[Any]) -> Device:
    return Device(
        row.device_id,
        row.name,
        row.account,
        trust=_trust(row),
        owns_from=row.owns_from,
        registered_on=row.registered_at,
    )


def _trust(row: Row[Any]) -> PhoneTrust:
    if row.account is None:
        return PhoneTrust.NONE
    return PhoneTrust.NEW if row.trusted_at is None else PhoneTrust.TRUSTED


def _request(row: Row[Any]) -> PhoneRequest | None:
    if row.asked_at is None:
        return None
    return PhoneRequest(row.asked_at, row.due_at, row.request_ends_at)


class Notices(Store):
    """Notices of an account's events, by phone: they may outlive the account."""

    def add(self, device_id: DeviceId, kind: NoticeKind, at: datetime) -> None:
        """Save a notice for a phone, in place of one of this kind and day.

        One notice cannot be hidden behind many of another kind.
        """
        self._delete(t.notices, device_id=device_id, kind=kind, at=at)
        self._add(t.notices, Notice(uuid4(), kind, at), device_id=device_id)

    def of(self, device_id: DeviceId) -> list[Notice]:
        """Return a phone's notices, latest first."""
        latest_first = t.notices.c.at.desc(), t.notices.c.kind
        query = rows(t.notices, device_id=device_id).order_by(*latest_first)
        return self._all(Notice, query.limit(_NOTICES))


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
        return self._has(t.push_subscriptions, device_id=device_id)

    def replace(self, device_id: DeviceId, encrypted: bytes) -> None:
        """Store a phone's subscription, in place of an earlier one."""
        new = {"device_id": device_id, "encrypted": encrypted, "due_at": None}
        self._put(t.push_subscriptions, new)

    def remove(self, device_id: DeviceId) -> None:
        """Delete a phone's subscription, if there is one."""
        self._delete(t.push_subscriptions, device_id=device_id)

    def idle_of(self, account: AccountId) -> list[DeviceId]:
        """Return the trusted phones of an account for which nothing is due."""
        idle = _OF_TRUSTED.where(t.devices.c.account == account, _PUSH.due_at.is_(None))
        return list(self._connection.execute(idle).scalars())

    def is_asked(self, account: AccountId, now: datetime) -> bool:
        """Return whether a new phone asks an account for trust."""
        return self._has(t.devices, t.devices.c.request_ends_at > now, account=account)

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
        self._update(t.push_subscriptions, {"due_at": due_at}, device_id=device_id)
