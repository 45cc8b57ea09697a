"""Port: pending enrolments with their encrypted templates and deadline."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import (
    DeviceId,
    EncryptedSample,
    EnrolmentId,
    PendingEnrolment,
    SampleCounts,
)
from oidc.types import AccountId


class Enrolments(Protocol):
    """Pending enrolments."""

    def create(self, enrolment: PendingEnrolment) -> None:
        """Save a new enrolment; delete the device's other ones with their samples."""

    def lock(
        self, enrolment_id: EnrolmentId, device_id: DeviceId, now: datetime
    ) -> PendingEnrolment | None:
        """Return this device's enrolment unless it expired, else None.

        In a writing transaction the row stays locked until the end.
        """

    def add_sample(
        self, enrolment_id: EnrolmentId, sample: EncryptedSample, attempt: int
    ) -> SampleCounts:
        """Save a sample and the attempt it was charged as; return the counts so far."""

    def samples(self, enrolment_id: EnrolmentId) -> list[EncryptedSample]:
        """Return all samples in the order of arrival."""

    def finish(self, enrolment_id: EnrolmentId, enrolled: SampleCounts) -> None:
        """Delete the samples; keep the enrolled counts until the deadline."""

    def discard(self, device_id: DeviceId) -> None:
        """Delete every enrolment of a device, with its samples."""

    def discard_of(self, account: AccountId) -> None:
        """Delete every enrolment of an account's devices, with their samples."""

    def purge(self, now: datetime) -> None:
        """Delete expired enrolments with their samples."""
