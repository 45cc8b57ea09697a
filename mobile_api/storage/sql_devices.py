"""Phones, attempts and used nonces in SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, select, update

from mobile_api.storage import schema as t
from mobile_api.storage.sql_store import SqlStore
from mobile_api.types import AttemptLimits, Device, DeviceId
from oidc.types import AccountId

_ATTEMPTS_LOCK: Final = 7_226_001
"""PostgreSQL advisory lock for counting attempts."""

_FIND: Final = select(t.devices).where(t.devices.c.device_id == bindparam("its_id"))
_BIND: Final = (
    update(t.devices)
    .where(t.devices.c.device_id == bindparam("its_id"), t.devices.c.account.is_(None))
    .values(account=bindparam("its_account"))
)
_RELEASE: Final = (
    update(t.devices)
    .where(t.devices.c.account == bindparam("its_account"))
    .values(account=None)
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
        return None if row is None else Device(device_id, row.name, row.account)

    def bind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Bind an unbound phone to an account."""
        whose = {"its_id": device_id, "its_account": account}
        return self.connection.execute(_BIND, whose).rowcount == 1

    def unbind_all(self, account: AccountId) -> None:
        """Unbind every phone of this account."""
        self.connection.execute(_RELEASE, {"its_account": account})


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
