"""Use case: a login ticket and a palm become a settled login.

The palm of a login for a named user is compared with that account only; another person's palm
is a mismatch like any other. Otherwise the device's own account is tried first and, unless the
policy binds logins to it, the gallery next. A device that belonged to nobody is then its
owner's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.types import PalmTemplate
from mobile_api import attempts
from mobile_api.attempts import Limits
from mobile_api.errors import DeviceUnbound
from mobile_api.gallery import LiveGallery
from mobile_api.recognition import Recogniser
from mobile_api.storage.unit import Storage
from mobile_api.types import Clock, Device, LoginPolicy
from oidc.errors import LoginGone
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    LoginId,
    LoginState,
    Mismatched,
    Outcome,
    Ticket,
)

TWO_FACTORS: Final = ("user", "swk", "mfa")
"""The palm, and the key of a phone that was this person's before. RFC 8176 §2."""

ONE_FACTOR: Final = ("user",)
"""The palm alone: the phone was nobody's, so that its key proved nothing. RFC 8176 §2."""


class Door(Protocol):
    """What is needed of ``oidc.handoff.Door``; its errors are those of ``oidc.errors``."""

    def claim(self, ticket: Ticket, claimant: Claimant) -> ClaimedLogin:
        """Take the ticket of a QR code."""

    def look(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return where a claimed login stands."""

    def settle(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report what a palm gave."""

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say yes."""

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say no."""

    def forget(self, account: AccountId) -> None:
        """Forget a deleted account."""

    def close(self) -> None:
        """Give back what the door holds open; called once, at the end."""


@dataclass(frozen=True, slots=True)
class LoginRules:
    """What the operator settled.

    Attributes:
        policy: whose palm may answer.
        attempts: how many palms one device may present.
    """

    policy: LoginPolicy
    attempts: Limits


class LoginService:
    """Answers logins.

    Args:
        door: to the provider.
        storage: where devices are kept.
        gallery: who is enrolled.
        recogniser: compares.
        clock: what time it is.
        rules: what the operator settled.
    """

    def __init__(
        self,
        door: Door,
        storage: Storage,
        gallery: LiveGallery,
        recogniser: Recogniser,
        clock: Clock,
        rules: LoginRules,
    ) -> None:
        self._door, self._storage, self._gallery = door, storage, gallery
        self._recogniser, self._clock, self._rules = recogniser, clock, rules

    def open(self, device: Device, ticket: Ticket) -> ClaimedLogin:
        """Claim the ticket of a QR code; the same device may do so again.

        Raises:
            DeviceUnbound: the policy wants devices that belong to an account.
            AlreadyClaimed: another phone holds it.
            LoginGone: unknown, expired or finished.
        """
        if self._rules.policy is LoginPolicy.BOUND_DEVICE and device.account is None:
            raise DeviceUnbound("a palm has to be enrolled with this phone first")
        return self._door.claim(ticket, _claimant(device))

    def look(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Return where a login stands, also after its end."""
        return self._door.look(login_id, _claimant(device))

    def answer(
        self, device: Device, login_id: LoginId, probe: Callable[[], PalmTemplate]
    ) -> ClaimedLoginState:
        """Answer a login with a palm.

        A phone that lost the answer to a recognised palm may send one again: nothing happens.

        Args:
            device: which phone.
            login_id: which login.
            probe: makes the template; called only if a palm is wanted now.

        Raises:
            LoginGone: unknown, another phone's, or over.
            TooManyAttempts: the device has to wait.
        """
        state = self._door.look(login_id, _claimant(device))
        if state.state is LoginState.VERIFIED:
            return state
        if state.state is not LoginState.SCANNED:
            raise LoginGone(state.hint)
        template = probe()
        account = self._account_of(device, template, state.account)
        return self._settle(device, login_id, account)

    def approve(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Say yes to a login whose palm was recognised."""
        return self._door.approve(login_id, _claimant(device))

    def decline(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Say no to a login."""
        return self._door.decline(login_id, _claimant(device))

    def _account_of(
        self, device: Device, probe: PalmTemplate, named: AccountId | None
    ) -> AccountId | None:
        with self._storage.writing() as unit:
            attempt = attempts.spend(
                unit, device.device_id, self._clock(), self._rules.attempts
            )
        claimed = named or device.account
        gallery = self._gallery.current()
        if claimed and self._recogniser.verify(gallery, [probe], claimed):
            return claimed
        if named or self._rules.policy is LoginPolicy.BOUND_DEVICE:
            return None
        found = self._recogniser.identify(gallery, [probe])
        if found is None:
            with self._storage.writing() as unit:
                unit.attempts.fail(attempt)
        return found

    def _settle(
        self, device: Device, login_id: LoginId, account: AccountId | None
    ) -> ClaimedLoginState:
        if account is None:
            return self._door.settle(login_id, _claimant(device), Mismatched())
        amr = TWO_FACTORS if device.account == account else ONE_FACTOR
        outcome = Authenticated(account, self._clock(), amr)
        state = self._door.settle(login_id, _claimant(device), outcome)
        if not self._bind(device, account):
            # Deleted since it was recognised, perhaps after the provider forgot it.
            self._door.forget(account)
            return self._door.look(login_id, _claimant(device))
        return state

    def _bind(self, device: Device, account: AccountId) -> bool:
        """Give a phone of nobody to the account; False if there is no such account any more."""
        if device.account is not None:
            with self._storage.reading() as unit:
                return unit.references.hold_account(account)
        with self._storage.writing() as unit:
            if not unit.references.hold_account(account):
                return False
            unit.devices.bind(device.device_id, account)
        return True


def _claimant(device: Device) -> Claimant:
    return Claimant(device.device_id)
