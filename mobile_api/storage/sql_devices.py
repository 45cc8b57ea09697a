"""Phones, attempts and used nonces in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from mobile_api.storage import schema as t
from mobile_api.storage.sql_store import SqlStore
from mobile_api.types import (
    AccountPhone,
    AttemptLimits,
    Device,
    DeviceId,
    Notice,
    NoticeKind,
    PhoneRequest,
    PhoneTrust,
)
from oidc.types import AccountId

_ATTEMPTS_LOCK: Final = 7_226_001
"""PostgreSQL advisory lock for counting attempts."""

_DEVICE: Final = t.devices.c
_FIND: Final = select(t.devices).where(_DEVICE.device_id == bindparam("its_id"))
_UNBOUND: Final = dict.fromkeys(
    ("account", "bound_at", "used_on", "trusted_at", "asked_at", "due_at", "request_ends_at")
)
_ATTEMPT: Final = insert(t.attempts).returning(t.attempts.c.attempt)
_SUCCEEDED: Final = (
    update(t.attempts).where(t.attempts.c.attempt == bindparam("number")).values(failed=0)
)


def _count(whose: ColumnElement[bool]) -> Select[int, int]:
    """Select the attempts since a time, and the failed identifications among them."""
    attempts = t.attempts.c
    return select(func.count(), func.coalesce(func.sum(attempts.failed), 0)).where(
        whose, attempts.at > bindparam("since")
    )


_OF_DEVICE: Final = _count(t.attempts.c.device_id == bindparam("whose"))
_OF_NETWORK: Final = _count(t.attempts.c.network == bindparam("whose"))
_OF_ALL: Final = _count(t.attempts.c.failed == bindparam("whose"))


class SqlDevices(SqlStore):
    """Implements ``storage.devices.Devices``."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False if its key is registered already."""
        return self.insert_if_absent(
            t.devices, device_id=device_id, name=name, registered_at=at
        )

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key."""
        row = self.connection.execute(_FIND, {"its_id": device_id}).one_or_none()
        if row is None:
            return None
        return Device(device_id, row.name, row.account, trust=_trust(row))

    def bind(
        self, device_id: DeviceId, account: AccountId, at: datetime, *, trusted: bool
    ) -> bool:
        """Bind an unbound phone to an account."""
        trusted_at = at if trusted else None
        values = {"account": account, "bound_at": at, "trusted_at": trusted_at}
        return self._change(device_id, _DEVICE.account.is_(None), values)

    def trust(self, device_id: DeviceId, account: AccountId, at: datetime) -> bool:
        """Trust a new phone of this account and end its request."""
        ended = dict.fromkeys(("asked_at", "due_at", "request_ends_at"))
        return self._change(device_id, _is_new_phone_of(account), {**ended, "trusted_at": at})

    def ask(self, device_id: DeviceId, account: AccountId, request: PhoneRequest) -> bool:
        """Save the request of a new phone of this account."""
        values = {
            "asked_at": request.asked_at,
            "due_at": request.due_at,
            "request_ends_at": request.ends_at,
        }
        return self._change(device_id, _is_new_phone_of(account), values)

    def use(self, device_id: DeviceId, day: datetime) -> None:
        """Save the day on which a phone was last used."""
        is_other_day = or_(_DEVICE.used_on.is_(None), _DEVICE.used_on != day)
        self._change(device_id, is_other_day, {"used_on": day})

    def of_account(self, account: AccountId) -> list[AccountPhone]:
        """Return an account's phones, trusted ones first, oldest first."""
        rows = self.connection.execute(
            select(t.devices)
            .where(_DEVICE.account == account)
            .order_by(_DEVICE.trusted_at.is_(None), _DEVICE.bound_at, _DEVICE.device_id)
        )
        return [
            AccountPhone(
                DeviceId(row.device_id),
                row.name,
                _trust(row),
                row.bound_at,
                row.used_on,
                _request(row),
            )
            for row in rows
        ]

    def unbind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Remove a phone from this account."""
        self.connection.execute(
            delete(t.vouched_devices).where(t.vouched_devices.c.device_id == device_id)
        )
        return self._change(device_id, _DEVICE.account == account, _UNBOUND)

    def unbind_new(self, device_id: DeviceId) -> None:
        """Remove a phone that is not trusted from its account."""
        self._change(device_id, _DEVICE.trusted_at.is_(None), _UNBOUND)

    def unbind_all(self, account: AccountId) -> None:
        """Unbind every phone of this account."""
        mine = update(t.devices).where(_DEVICE.account == account)
        self.connection.execute(mine.values(_UNBOUND))

    def _change(
        self, device_id: DeviceId, condition: ColumnElement[bool], values: Mapping[str, object]
    ) -> bool:
        changed = update(t.devices).where(_DEVICE.device_id == device_id, condition)
        return self.connection.execute(changed.values(dict(values))).rowcount == 1


def _is_new_phone_of(account: AccountId) -> ColumnElement[bool]:
    return and_(_DEVICE.account == account, _DEVICE.trusted_at.is_(None))


def _trust(row: Row[Any]) -> PhoneTrust:
    if row.account is None:
        return PhoneTrust.NONE
    return PhoneTrust.NEW if row.trusted_at is None else PhoneTrust.TRUSTED


def _request(row: Row[Any]) -> PhoneRequest | None:
    if row.asked_at is None:
        return None
    return PhoneRequest(row.asked_at, row.due_at, row.request_ends_at)


_NOTICES: Final = 20
"""Most notices of one phone that are told; nobody can flood it with more."""


class SqlNotices(SqlStore):
    """Implements ``storage.devices.Notices``."""

    def add(self, device_id: DeviceId, kind: NoticeKind, at: datetime) -> None:
        """Save a notice for a phone."""
        self.connection.execute(insert(t.notices).values(device_id=device_id, kind=kind, at=at))

    def of(self, device_id: DeviceId) -> list[Notice]:
        """Return a phone's notices, latest first."""
        notices = t.notices.c
        rows = self.connection.execute(
            select(notices.kind, notices.at)
            .where(notices.device_id == device_id)
            .order_by(notices.position.desc())
            .limit(_NOTICES)
        )
        return [Notice(NoticeKind(row.kind), row.at) for row in rows]

    def purge(self, before: datetime) -> None:
        """Delete old notices."""
        self.connection.execute(delete(t.notices).where(t.notices.c.at < before))


class SqlAttempts(SqlStore):
    """Implements ``storage.devices.Attempts``."""

    def add(
        self,
        device: Device,
        at: datetime,
        since: datetime,
        limits: AttemptLimits,
        *,
        failed: bool,
    ) -> int | None:
        """Record an attempt and return its number; None if a limit is reached."""
        self._lock()
        if not self._leaves_room(device, since, limits, searches=failed):
            return None
        values = {
            "device_id": device.device_id,
            "at": at,
            "failed": int(failed),
            "network": device.network,
        }
        number: int = self.connection.execute(_ATTEMPT, values).scalar_one()
        return number

    def _lock(self) -> None:
        """Make counting and inserting atomic; SQLite has one writer anyway."""
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(select(func.pg_advisory_xact_lock(_ATTEMPTS_LOCK)))

    def _leaves_room(
        self, device: Device, since: datetime, limits: AttemptLimits, *, searches: bool
    ) -> bool:
        spent, failed = self._counted(_OF_DEVICE, device.device_id, since)
        if spent >= limits.submissions or failed >= limits.failed_identifications:
            return False
        if device.network is not None:
            spent, failed = self._counted(_OF_NETWORK, device.network, since)
            if spent >= limits.network_submissions or (
                searches and failed >= limits.network_failed
            ):
                return False
        if device.account is None and searches:
            _, failed = self._counted(_OF_ALL, 1, since)
            return failed < limits.strangers_failed
        return True

    def _counted(
        self, count: Select[int, int], whose: str | int, since: datetime
    ) -> tuple[int, int]:
        """Return how many attempts there were, and how many failed identifications."""
        spent, failed = self.connection.execute(count, {"whose": whose, "since": since}).one()
        return spent, failed

    def clear(self, attempt: int) -> None:
        """Record that this was not a failed identification."""
        self.connection.execute(_SUCCEEDED, {"number": attempt})

    def purge(self, before: datetime) -> None:
        """Delete old attempts."""
        self.connection.execute(delete(t.attempts).where(t.attempts.c.at < before))


class SqlUsedNonces(SqlStore):
    """Implements ``storage.nonces.SpentNonces``."""

    def consume(self, digest: bytes, expires_at: datetime) -> bool:
        """Mark a nonce used; False if it was used before."""
        return self.insert_if_absent(t.spent_nonces, digest=digest, expires_at=expires_at)

    def purge(self, now: datetime) -> None:
        """Delete expired nonces."""
        nonces = t.spent_nonces
        self.connection.execute(delete(nonces).where(nonces.c.expires_at <= now))
