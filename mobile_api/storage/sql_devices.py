"""Registered phones, their attempts and spent nonces in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, func, insert, select, update

from mobile_api.storage import tables as t
from mobile_api.storage.sql_store import SqlStore
from mobile_api.types import Device, DeviceId
from oidc.types import AccountId


class SqlDevices(SqlStore):
    """Implements ``storage.devices.Devices``."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False if its key is registered already."""
        return self.insert_once(t.devices, device_id=device_id, name=name, registered_at=at)

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key."""
        row = self.connection.execute(
            select(t.devices).where(t.devices.c.device_id == device_id)
        ).one_or_none()
        return None if row is None else Device(device_id, row.name, row.account)

    def bind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Give a phone that belongs to nobody to an account."""
        devices = t.devices.c
        result = self.connection.execute(
            update(t.devices)
            .where(devices.device_id == device_id, devices.account.is_(None))
            .values(account=account)
        )
        return result.rowcount == 1

    def release(self, account: AccountId) -> None:
        """Let no phone belong to this account any longer."""
        self.connection.execute(
            update(t.devices).where(t.devices.c.account == account).values(account=None)
        )


class SqlAttempts(SqlStore):
    """Implements ``storage.devices.Attempts``."""

    def spend(
        self, device_id: DeviceId, at: datetime, since: datetime, *, most: int, most_failed: int
    ) -> int | None:
        """Note an attempt and return its number; None if there are too many."""
        attempts, connection = t.attempts.c, self.connection
        # The device's row is the lock that makes count and insert one step on PostgreSQL.
        connection.execute(
            select(t.devices.c.device_id)
            .where(t.devices.c.device_id == device_id)
            .with_for_update()
        )
        spent, failed = connection.execute(
            select(func.count(), func.coalesce(func.sum(attempts.failed), 0)).where(
                attempts.device_id == device_id, attempts.at > since
            )
        ).one()
        if spent >= most or failed >= most_failed:
            return None
        number: int = connection.execute(
            insert(t.attempts)
            .values(device_id=device_id, at=at, failed=0)
            .returning(attempts.attempt)
        ).scalar_one()
        return number

    def fail(self, attempt: int) -> None:
        """Note that this attempt searched the gallery and matched nobody."""
        self.connection.execute(
            update(t.attempts).where(t.attempts.c.attempt == attempt).values(failed=1)
        )

    def purge(self, before: datetime) -> None:
        """Forget attempts older than this."""
        self.connection.execute(delete(t.attempts).where(t.attempts.c.at < before))


class SqlSpentNonces(SqlStore):
    """Implements ``storage.nonces.SpentNonces``."""

    def spend(self, digest: bytes, expires_at: datetime) -> bool:
        """Note that a nonce is used; False if it was used before."""
        return self.insert_once(t.spent_nonces, digest=digest, expires_at=expires_at)

    def purge(self, now: datetime) -> None:
        """Forget what has expired."""
        nonces = t.spent_nonces
        self.connection.execute(delete(nonces).where(nonces.c.expires_at <= now))
