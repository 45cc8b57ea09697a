"""Port: registered phones and their recent palm attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import (
    AccountPhone,
    AttemptLimits,
    Device,
    DeviceId,
    EnrolmentId,
    Notice,
    NoticeKind,
    PhoneRequest,
    Question,
)
from oidc.types import AccountId


class Devices(Protocol):
    """Registered phones. A phone changes only while its account is locked."""

    def add(self, device_id: DeviceId, name: str, at: datetime) -> bool:
        """Register a phone; False if its key is registered already."""

    def find(self, device_id: DeviceId) -> Device | None:
        """Return the phone of a key, or None."""

    def bind(
        self, device_id: DeviceId, account: AccountId, at: datetime, *, trusted: bool
    ) -> bool:
        """Bind an unbound phone to an account; False if it is bound already.

        Atomic: of two concurrent calls exactly one returns True.
        """

    def trust(self, device_id: DeviceId, account: AccountId, at: datetime) -> bool:
        """Trust a new phone of this account and end its request; False if it is none."""

    def ask(self, device_id: DeviceId, account: AccountId, request: PhoneRequest) -> bool:
        """Save the request of a new phone of this account; False if it is none."""

    def use(self, device_id: DeviceId, day: datetime) -> None:
        """Save the day on which a phone was last used."""

    def of_account(self, account: AccountId) -> list[AccountPhone]:
        """Return an account's phones, trusted ones first, oldest first."""

    def unbind(self, device_id: DeviceId, account: AccountId) -> bool:
        """Remove a phone from this account; False if it is none of its phones."""

    def unbind_new(self, device_id: DeviceId) -> None:
        """Remove a phone that is not trusted from its account."""

    def unbind_all(self, account: AccountId) -> None:
        """Unbind every phone of this account."""


class Notices(Protocol):
    """What the phones of an account are told, by phone: they may outlive the account."""

    def add(self, device_id: DeviceId, kind: NoticeKind, at: datetime) -> None:
        """Save a notice for a phone, in place of one of this kind and day.

        Nobody can hide one notice behind many of another kind.
        """

    def of(self, device_id: DeviceId) -> list[Notice]:
        """Return a phone's notices, latest first."""

    def purge(self, before: datetime) -> None:
        """Delete notices older than this."""


class Attempts(Protocol):
    """Palms that were presented, kept for a day."""

    def add(
        self,
        device: Device,
        at: datetime,
        since: datetime,
        limits: AttemptLimits,
        question: Question,
    ) -> int | None:
        """Record an attempt and return its number; None if a limit is reached.

        Atomic: concurrent calls never exceed a limit. A question counts as one without a match,
        until ``clear``; ``OWNER`` is limited by the phone alone.
        """

    def clear(self, attempt: int) -> None:
        """Record that this attempt's question had a match, or was not asked."""

    def clear_samples(self, enrolment_id: EnrolmentId) -> None:
        """Clear the attempts of an enrolment's samples; call it before they are deleted."""

    def purge(self, before: datetime) -> None:
        """Delete attempts older than this."""
