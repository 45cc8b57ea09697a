"""Pending enrolments in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Row, case, delete, func, insert, select, update

from engine.types import Hand
from mobile_api.storage import tables as t
from mobile_api.storage.cipher import key_of
from mobile_api.storage.sql_store import SqlStore
from mobile_api.types import (
    ConsentGiven,
    DeviceId,
    EnrolmentId,
    PendingEnrolment,
    SampleCounts,
    SampleId,
    SealedSample,
)
from oidc.types import AccountId


class SqlEnrolments(SqlStore):
    """Implements ``storage.enrolments.Enrolments``."""

    def open(self, enrolment: PendingEnrolment) -> None:
        """Keep a new enrolment; any other of the same device is forgotten."""
        self.discard(enrolment.device_id)
        self.connection.execute(
            insert(t.enrolments).values(
                enrolment_id=enrolment.enrolment_id,
                device_id=enrolment.device_id,
                consent_version=enrolment.consent.version,
                consent_sha256=enrolment.consent.sha256,
                consented_at=enrolment.consent.at,
                expires_at=enrolment.expires_at,
            )
        )

    def hold(
        self, enrolment_id: EnrolmentId, device_id: DeviceId, now: datetime
    ) -> PendingEnrolment | None:
        """Return the enrolment if it is this device's and has not expired, and lock it."""
        enrolments = t.enrolments.c
        row = self.connection.execute(
            select(t.enrolments)
            .where(
                enrolments.enrolment_id == enrolment_id,
                enrolments.device_id == device_id,
                enrolments.expires_at > now,
            )
            .with_for_update()
        ).one_or_none()
        return None if row is None else _enrolment(row)

    def add_sample(self, enrolment_id: EnrolmentId, sample: SealedSample) -> SampleCounts:
        """Keep one more sample; return how many there are now."""
        self.connection.execute(
            insert(t.enrolment_samples).values(
                sample_id=sample.sample_id,
                enrolment_id=enrolment_id,
                hand=sample.hand.value,
                sealed=sample.sealed,
                key_id=key_of(sample.sealed),
            )
        )
        samples = t.enrolment_samples.c
        left, total = self.connection.execute(
            select(
                func.sum(case((samples.hand == Hand.LEFT.value, 1), else_=0)), func.count()
            ).where(samples.enrolment_id == enrolment_id)
        ).one()
        return SampleCounts(left=left, right=total - left)

    def samples(self, enrolment_id: EnrolmentId) -> list[SealedSample]:
        """Return all samples, in the order they were added."""
        samples = t.enrolment_samples
        rows = self.connection.execute(
            select(samples)
            .where(samples.c.enrolment_id == enrolment_id)
            .order_by(samples.c.position)
        )
        return [SealedSample(SampleId(r.sample_id), Hand(r.hand), r.sealed) for r in rows]

    def finish(self, enrolment_id: EnrolmentId, enrolled: SampleCounts) -> None:
        """Forget the samples; remember what was enrolled."""
        samples, enrolments = t.enrolment_samples, t.enrolments
        self.connection.execute(delete(samples).where(samples.c.enrolment_id == enrolment_id))
        self.connection.execute(
            update(enrolments)
            .where(enrolments.c.enrolment_id == enrolment_id)
            .values(enrolled_left=enrolled.left, enrolled_right=enrolled.right)
        )

    def discard(self, device_id: DeviceId) -> None:
        """Forget every enrolment of a device; its samples go by the foreign key."""
        self.connection.execute(
            delete(t.enrolments).where(t.enrolments.c.device_id == device_id)
        )

    def discard_of(self, account: AccountId) -> None:
        """Forget every enrolment of the devices of an account."""
        theirs = select(t.devices.c.device_id).where(t.devices.c.account == account)
        self.connection.execute(
            delete(t.enrolments).where(t.enrolments.c.device_id.in_(theirs))
        )

    def purge(self, now: datetime) -> None:
        """Forget what has expired; its samples go by the foreign key."""
        self.connection.execute(delete(t.enrolments).where(t.enrolments.c.expires_at <= now))


def _enrolment(row: Row[tuple[object, ...]]) -> PendingEnrolment:
    enrolled = None
    if row.enrolled_left is not None:
        enrolled = SampleCounts(row.enrolled_left, row.enrolled_right)
    return PendingEnrolment(
        EnrolmentId(row.enrolment_id),
        DeviceId(row.device_id),
        ConsentGiven(row.consent_version, row.consent_sha256, row.consented_at),
        row.expires_at,
        enrolled,
    )
