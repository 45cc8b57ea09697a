"""Pending enrolments with their encrypted templates and deadline."""

from datetime import datetime
from typing import Final

from sqlalchemy import Row, bindparam, case, delete, func, insert, select, update

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.types import (
    ConsentGiven,
    DeviceId,
    EncryptedSample,
    EnrolmentId,
    PendingEnrolment,
    SampleCounts,
    SampleId,
)
from oidc.plumbing.store import Store
from oidc.types import AccountId

_OPEN: Final = insert(t.enrolments)
_HOLD: Final = (
    select(t.enrolments)
    .where(
        t.enrolments.c.enrolment_id == bindparam("its_id"),
        t.enrolments.c.device_id == bindparam("its_device"),
        t.enrolments.c.expires_at > bindparam("now"),
    )
    .with_for_update()
)
_ITS_SAMPLES: Final = t.enrolment_samples.c.enrolment_id == bindparam("its_id")
_ADD: Final = insert(t.enrolment_samples)
_COUNT: Final = select(
    func.sum(case((t.enrolment_samples.c.hand == Hand.LEFT.value, 1), else_=0)),
    func.count(),
).where(_ITS_SAMPLES)
_SAMPLES: Final = (
    select(t.enrolment_samples).where(_ITS_SAMPLES).order_by(t.enrolment_samples.c.position)
)
_FORGET_SAMPLES: Final = delete(t.enrolment_samples).where(_ITS_SAMPLES)
_FINISH: Final = (
    update(t.enrolments)
    .where(t.enrolments.c.enrolment_id == bindparam("its_id"))
    .values(
        enrolled_left=bindparam("left"),
        enrolled_right=bindparam("right"),
        expires_at=bindparam("ends_at"),
    )
)
_DISCARD: Final = delete(t.enrolments).where(
    t.enrolments.c.device_id == bindparam("its_device")
)
_DISCARD_OF: Final = delete(t.enrolments).where(
    t.enrolments.c.device_id.in_(
        select(t.devices.c.device_id).where(t.devices.c.account == bindparam("whose"))
    )
)


class Enrolments(Store):
    """Pending enrolments."""

    def create(self, enrolment: PendingEnrolment) -> None:
        """Save a new enrolment; delete the device's other ones with their samples."""
        self.discard(enrolment.device_id)
        values = {
            "enrolment_id": enrolment.enrolment_id,
            "device_id": enrolment.device_id,
            "consent_version": enrolment.consent.version,
            "consent_sha256": enrolment.consent.sha256,
            "consent_language": enrolment.consent.language,
            "consented_at": enrolment.consent.at,
            "expires_at": enrolment.expires_at,
        }
        self._connection.execute(_OPEN, values)

    def lock(
        self, enrolment_id: EnrolmentId, device_id: DeviceId, now: datetime
    ) -> PendingEnrolment | None:
        """Return this device's enrolment unless it expired, else None.

        In a writing transaction the row stays locked until the end.
        """
        which = {"its_id": enrolment_id, "its_device": device_id, "now": now}
        row = self._connection.execute(_HOLD, which).one_or_none()
        return None if row is None else _enrolment(row)

    def add_sample(
        self, enrolment_id: EnrolmentId, sample: EncryptedSample, attempt: int
    ) -> SampleCounts:
        """Save a sample and the attempt it was charged as; return the counts so far."""
        values = {
            "sample_id": sample.sample_id,
            "enrolment_id": enrolment_id,
            "hand": sample.hand.value,
            "sealed": sample.ciphertext,
            "key_id": encryption_key_id(sample.ciphertext),
            "attempt": attempt,
        }
        self._connection.execute(_ADD, values)
        left, total = self._connection.execute(_COUNT, {"its_id": enrolment_id}).one()
        return SampleCounts(left=left, right=total - left)

    def samples(self, enrolment_id: EnrolmentId) -> list[EncryptedSample]:
        """Return all samples in the order of arrival."""
        rows = self._connection.execute(_SAMPLES, {"its_id": enrolment_id})
        return [EncryptedSample(SampleId(r.sample_id), Hand(r.hand), r.sealed) for r in rows]

    def remove_samples(self, enrolment_id: EnrolmentId, hand: Hand) -> None:
        """Delete the samples of a hand."""
        its = _ITS_SAMPLES, t.enrolment_samples.c.hand == hand.value
        palm = delete(t.enrolment_samples).where(*its)
        self._connection.execute(palm, {"its_id": enrolment_id})

    def finish(
        self, enrolment_id: EnrolmentId, enrolled: SampleCounts, ends_at: datetime
    ) -> None:
        """Delete the samples; keep the enrolled counts until then."""
        self._connection.execute(_FORGET_SAMPLES, {"its_id": enrolment_id})
        kept = {"left": enrolled.left, "right": enrolled.right, "ends_at": ends_at}
        self._connection.execute(_FINISH, {"its_id": enrolment_id, **kept})

    def discard(self, device_id: DeviceId) -> None:
        """Delete every enrolment of a device, with its samples."""
        self._connection.execute(_DISCARD, {"its_device": device_id})

    def discard_of(self, account: AccountId) -> None:
        """Delete every enrolment of an account's devices, with their samples."""
        self._connection.execute(_DISCARD_OF, {"whose": account})

    def purge(self, now: datetime) -> None:
        """Delete expired enrolments with their samples."""
        self._connection.execute(delete(t.enrolments).where(t.enrolments.c.expires_at <= now))


def _enrolment(row: Row[tuple[object, ...]]) -> PendingEnrolment:
    enrolled = None
    if row.enrolled_left is not None:
        enrolled = SampleCounts(row.enrolled_left, row.enrolled_right)
    return PendingEnrolment(
        EnrolmentId(row.enrolment_id),
        DeviceId(row.device_id),
        ConsentGiven(
            row.consent_version, row.consent_sha256, row.consent_language, row.consented_at
        ),
        row.expires_at,
        enrolled,
    )
