"""Pending enrolments with their encrypted templates and deadline."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Row, select

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.storage.cipher import encryption_key_id
from mobile_api.storage.stores.devices import devices_of
from mobile_api.storage.stores.references import ConsentGiven, columns_of_consent
from mobile_api.types import DeviceId, EnrolmentId, SampleCounts, SampleId
from oidc.plumbing.store import Store, rows
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class PendingEnrolment:
    """An enrolment that collects samples, or was just finished.

    Attributes:
        enrolled: the result, kept for a phone that lost the response.
    """

    enrolment_id: EnrolmentId
    device_id: DeviceId
    consent: ConsentGiven
    expires_at: datetime
    enrolled: SampleCounts | None


@dataclass(frozen=True, slots=True)
class EncryptedSample:
    """An encrypted template of a pending enrolment."""

    sample_id: SampleId
    hand: Hand
    sealed: bytes = field(repr=False)


class Enrolments(Store):
    """Pending enrolments."""

    def create(self, enrolment: PendingEnrolment) -> None:
        """Save a new enrolment; delete the device's other ones with their samples."""
        self.discard(enrolment.device_id)
        self._add(t.enrolments, enrolment, **columns_of_consent(enrolment.consent))

    def lock(
        self, enrolment_id: EnrolmentId, device_id: DeviceId, now: datetime
    ) -> PendingEnrolment | None:
        """Return this device's enrolment unless it expired, else None.

        In a writing transaction the row stays locked until the end.
        """
        lives = t.enrolments.c.expires_at > now
        its = rows(t.enrolments, lives, enrolment_id=enrolment_id, device_id=device_id)
        row = self._row(its.with_for_update())
        return None if row is None else _enrolment(row)

    def add_sample(
        self, enrolment_id: EnrolmentId, sample: EncryptedSample, attempt: int
    ) -> SampleCounts:
        """Save a sample and the attempt it was charged as; return the counts so far."""
        more = {"key_id": encryption_key_id(sample.sealed), "attempt": attempt}
        self._add(t.enrolment_samples, sample, enrolment_id=enrolment_id, **more)
        its = t.enrolment_samples.c.enrolment_id == enrolment_id
        found = self._connection.execute(select(t.enrolment_samples.c.hand).where(its))
        hands = Counter(found.scalars())
        return SampleCounts(left=hands[Hand.LEFT], right=hands[Hand.RIGHT])

    def samples(self, enrolment_id: EnrolmentId) -> list[EncryptedSample]:
        """Return all samples in the order of arrival."""
        its = rows(t.enrolment_samples, enrolment_id=enrolment_id)
        return self._all(EncryptedSample, its.order_by(t.enrolment_samples.c.position))

    def remove_samples(self, enrolment_id: EnrolmentId, hand: Hand) -> None:
        """Delete the samples of a hand."""
        self._delete(t.enrolment_samples, enrolment_id=enrolment_id, hand=hand)

    def finish(
        self, enrolment_id: EnrolmentId, enrolled: SampleCounts, ends_at: datetime
    ) -> None:
        """Delete the samples; keep the enrolled counts until then."""
        self._delete(t.enrolment_samples, enrolment_id=enrolment_id)
        counts = {"enrolled_left": enrolled.left, "enrolled_right": enrolled.right}
        kept = counts | {"expires_at": ends_at}
        self._update(t.enrolments, kept, enrolment_id=enrolment_id)

    def discard(self, device_id: DeviceId) -> None:
        """Delete every enrolment of a device, with its samples."""
        self._delete(t.enrolments, device_id=device_id)

    def discard_of(self, account: AccountId) -> None:
        """Delete every enrolment of an account's devices, with their samples."""
        self._delete(t.enrolments, t.enrolments.c.device_id.in_(devices_of(account)))


def _enrolment(row: Row[tuple[object, ...]]) -> PendingEnrolment:
    enrolled = None
    if row.enrolled_left is not None:
        enrolled = SampleCounts(row.enrolled_left, row.enrolled_right)
    return PendingEnrolment(
        row.enrolment_id,
        row.device_id,
        ConsentGiven(
            row.consent_version, row.consent_sha256, row.consent_language, row.consented_at
        ),
        row.expires_at,
        enrolled,
    )
