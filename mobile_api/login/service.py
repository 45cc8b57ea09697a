"""Use case: a palm answers a login.

If the login names an account, only that one is verified. Otherwise the device's own account is
tried first and then, if the policy allows it, the whole gallery. An unbound device is then
bound to the account that matched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from engine.errors import EngineError
from mobile_api.errors import DeviceUnbound, ServiceBusy, TemplateNotAccepted
from mobile_api.limits import attempts
from mobile_api.limits.attempts import AttemptLimits
from mobile_api.observability.audit import Event
from mobile_api.recognition.identification import Identification
from mobile_api.storage.transaction import Storage
from mobile_api.types import CapturedPalm, Clock, Device, LoginPolicy, TemplateTrust
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
"""The palm, and the key of a phone already bound to the account. RFC 8176 §2."""

ONE_FACTOR: Final = ("user",)
"""The palm alone: the key of an unbound phone proves nothing. RFC 8176 §2."""


class Door(Protocol):
    """The part of ``oidc.handoff.Door`` used here; raises errors of ``oidc.errors``."""

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code."""

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return the state of a claimed login."""

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report the result of a palm."""

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Approve a login."""

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Decline a login."""

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Report a login that somebody else started."""

    def erase_account(self, account: AccountId) -> None:
        """Forget a deleted account."""

    def close(self) -> None:
        """Release resources; called once, at the end."""


@dataclass(frozen=True, slots=True)
class LoginRules:
    """The operator's choices."""

    policy: LoginPolicy
    attempts: AttemptLimits
    templates: TemplateTrust


class LoginService:
    """Answers logins; calls ``after_own_phone`` after a match on the account's own phone."""

    def __init__(
        self,
        door: Door,
        storage: Storage,
        identification: Identification,
        after_own_phone: Callable[[AccountId, CapturedPalm], None],
        clock: Clock,
        rules: LoginRules,
    ) -> None:
        self._door, self._storage, self._identification = door, storage, identification
        self._after_own_phone, self._clock, self._rules = after_own_phone, clock, rules

    def open(self, device: Device, ticket: Ticket, address: str | None) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code; the same device may claim it again.

        Raises DeviceUnbound, TicketStale, AlreadyClaimed or LoginGone.
        """
        if self._rules.policy is LoginPolicy.BOUND_DEVICE and device.account is None:
            raise DeviceUnbound("enrol a palm with this phone first")
        return self._door.claim(ticket, _claimant(device), address)

    def look(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Return where a login stands, also after its end."""
        return self._door.get_state(login_id, _claimant(device))

    def answer(
        self,
        device: Device,
        login_id: LoginId,
        probe: Callable[[], CapturedPalm],
        *,
        made_by_phone: bool = False,
    ) -> ClaimedLoginState:
        """Answer a login with a palm.

        ``probe`` reads the palm, after the attempt is counted. ``made_by_phone``: no picture
        was seen here. A phone that lost the response to a match may repeat this; nothing
        changes.

        Raises LoginGone, TemplateNotAccepted or TooManyAttempts.
        """
        state = self._door.get_state(login_id, _claimant(device))
        if state.state is LoginState.VERIFIED:
            return state
        if state.state is not LoginState.SCANNED:
            raise LoginGone(state.hint)
        if made_by_phone and self._rules.templates is TemplateTrust.OWN_DEVICE:
            account = self._verify_owner(device, probe, state.account)
        else:
            account = self._identify(device, probe, state.account)
        return self._record_outcome(device, login_id, account)

    def approve(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Approve a login whose palm matched."""
        return self._door.approve(login_id, _claimant(device))

    def decline(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Decline a login."""
        return self._door.decline(login_id, _claimant(device))

    def report(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Report a login that somebody else started: it ends, and what it issued is revoked."""
        return self._door.report(login_id, _claimant(device))

    def _verify_owner(
        self, device: Device, probe: Callable[[], CapturedPalm], named: AccountId | None
    ) -> AccountId | None:
        """Return the device's account if the template matches it; compare with nobody else."""
        owner = device.account
        if owner is None or named not in (None, owner):
            raise TemplateNotAccepted("this phone must send a picture")
        with self._counted_attempt(device, searches=True) as cleared:
            if self._identification.verify(probe(), owner):
                cleared()
                return owner
        if named or self._rules.policy is LoginPolicy.BOUND_DEVICE:
            return None
        raise TemplateNotAccepted("this is not the palm of this phone: send a picture")

    def _identify(
        self, device: Device, probe: Callable[[], CapturedPalm], named: AccountId | None
    ) -> AccountId | None:
        searches = not named and self._rules.policy is LoginPolicy.IDENTIFY
        with self._counted_attempt(device, searches=searches) as cleared:
            captured = probe()
            claimed = named or device.account
            if claimed and self._identification.verify(captured, claimed):
                cleared()
                if claimed == device.account:
                    self._after_own_phone(claimed, captured)
                return claimed
            found = self._identification.identify(captured) if searches else None
            if found is not None:
                cleared()
        return found

    @contextmanager
    def _counted_attempt(
        self, device: Device, *, searches: bool
    ) -> Iterator[Callable[[], None]]:
        """Count an attempt as failed before its palm is processed; yield a call that clears it.

        A picture without a template also clears it: nothing was searched. Other errors do not.
        """
        with self._storage.writing() as transaction:
            attempt = attempts.count(
                transaction, device, self._clock(), self._rules.attempts, searches=searches
            )

        def clear() -> None:
            if searches:
                with self._storage.writing() as transaction:
                    transaction.attempts.clear(attempt)

        try:
            yield clear
        except (EngineError, ServiceBusy):
            clear()
            raise

    def _record_outcome(
        self, device: Device, login_id: LoginId, account: AccountId | None
    ) -> ClaimedLoginState:
        if account is None:
            return self._door.record_outcome(login_id, _claimant(device), Mismatched())
        amr = TWO_FACTORS if device.account == account else ONE_FACTOR
        outcome = Authenticated(account, self._clock(), amr)
        state = self._door.record_outcome(login_id, _claimant(device), outcome)
        if not self._bind(device, account):
            # Deleted since the palm matched, perhaps after the provider erased it.
            self._door.erase_account(account)
            return self._door.get_state(login_id, _claimant(device))
        return state

    def _bind(self, device: Device, account: AccountId) -> bool:
        """Bind an unbound phone; False if the account no longer exists."""
        if device.account is not None:
            with self._storage.reading() as transaction:
                return transaction.references.lock_account(account)
        with self._storage.writing() as transaction:
            if not transaction.references.lock_account(account):
                return False
            if transaction.devices.bind(device.device_id, account):
                transaction.audit.append(Event.PHONE_BOUND, self._clock(), {})
        return True


def _claimant(device: Device) -> Claimant:
    return Claimant(device.device_id)
