"""Port: enrolments that are not finished, with their encrypted templates and a deadline."""

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
        """Keep a new enrolment; any other of the same device is forgotten with its samples."""

    def lock(
        self, enrolment_id: EnrolmentId, device_id: DeviceId, now: datetime
    ) -> PendingEnrolment | None:
        """Return the enrolment if it is this device's and has not expired, else None.

        In a writing unit nobody else can change it until the unit ends.
        """

    def add_sample(self, enrolment_id: EnrolmentId, sample: EncryptedSample) -> SampleCounts:
        """Keep one more sample; return how many there are now."""

    def samples(self, enrolment_id: EnrolmentId) -> list[EncryptedSample]:
        """Return all samples, in the order they were added."""

    def finish(self, enrolment_id: EnrolmentId, enrolled: SampleCounts) -> None:
        """Forget the samples; remember, until the deadline, what was enrolled."""

    def discard(self, device_id: DeviceId) -> None:
        """Forget every enrolment of a device, with its samples."""

    def discard_of(self, account: AccountId) -> None:
        """Forget every enrolment of the devices of an account, with its samples."""

    def purge(self, now: datetime) -> None:
        """Forget what has expired, with its samples."""
