"""Use case: a palm answers a login.

If the login names an account, only that one is verified. Otherwise the device's own account is
tried first and then, if the policy allows it, the whole gallery. An unbound phone is then
bound to the account that matched, as a new phone: only a trusted one counts as a factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from mobile_api.devices.binding import bind_new
from mobile_api.errors import (
    ChallengeNeeded,
    DeviceUnbound,
    MobileError,
    PhoneNotTrusted,
    TemplateNotAccepted,
)
from mobile_api.storage.database import Database
from mobile_api.types import Clock, Device, LoginPolicy, PhoneTrust, TemplateTrust
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

if TYPE_CHECKING:
    from mobile_api.recognition.counted_identification import CountedIdentification, Probe

TWO_FACTORS: Final = ("user", "swk", "mfa")
"""The palm, and the key of a phone that the account trusts. RFC 8176 §2."""

ONE_FACTOR: Final = ("user",)
"""The palm alone: the key of any other phone proves nothing. RFC 8176 §2."""


class Door(Protocol):
    """The part of ``oidc.handoff.Door`` used here; raises errors of ``oidc.errors``."""

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code."""

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return the state of a claimed login."""

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return a number of each login that grows with its changes."""

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

    def cancel_claims(self, claimant: Claimant) -> None:
        """End every open login of a phone."""

    def erase_account(self, account: AccountId, phones: Sequence[Claimant] = ()) -> None:
        """Forget a deleted account and its phones."""

    def compact(self) -> None:
        """Remove what was erased from the provider's files."""

    def close(self) -> None:
        """Release resources; called once, at the end."""


@dataclass(frozen=True, slots=True)
class LoginRules:
    """The operator's choices."""

    policy: LoginPolicy
    templates: TemplateTrust
    challenges: bool = False
    """Whether only a palm shown in a challenge is compared with other accounts."""


class LoginService:
    """Answers logins."""

    def __init__(
        self,
        door: Door,
        storage: Database,
        palms: CountedIdentification,
        clock: Clock,
        rules: LoginRules,
    ) -> None:
        self._door, self._storage, self._palms = door, storage, palms
        self._clock, self._rules = clock, rules

    def open(self, device: Device, ticket: Ticket, address: str | None) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code; the same device may claim it again.

        Raises DeviceUnbound, PhoneNotTrusted, TicketStale, AlreadyClaimed or LoginGone.
        """
        if self._rules.policy is LoginPolicy.BOUND_DEVICE:
            if device.account is None:
                raise DeviceUnbound("enrol a palm with this phone first")
            if not device.is_trusted:
                raise PhoneNotTrusted("this phone is new: approve it on a phone that you trust")
        return self._door.claim(ticket, _claimant(device), address)

    def look(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Return where a login stands, also after its end."""
        return self._door.get_state(login_id, _claimant(device))

    def require_waiting(self, device: Device, login_id: LoginId) -> None:
        """Require a login of this phone that waits for a palm. Raises LoginGone."""
        state = self._door.get_state(login_id, _claimant(device))
        if state.state is not LoginState.SCANNED:
            raise LoginGone(state.hint)

    def answer(
        self,
        device: Device,
        login_id: LoginId,
        probe: Probe,
        *,
        made_by_phone: bool = False,
        challenged: bool = False,
    ) -> ClaimedLoginState:
        """Answer a login with a palm.

        ``probe`` reads the palm, after the attempt is counted. ``made_by_phone``: no picture
        was seen here. ``challenged``: it was shown in a challenge. A phone that lost the
        response to a match may repeat this; nothing changes.

        Raises LoginGone, TemplateNotAccepted, ChallengeNeeded or TooManyAttempts.
        """
        state = self._door.get_state(login_id, _claimant(device))
        if state.state is LoginState.VERIFIED:
            return state
        if state.state is not LoginState.SCANNED:
            raise LoginGone(state.hint)
        refusal = self._refusal(made_by_phone=made_by_phone, challenged=challenged)
        if refusal is None:
            account = self._identify(device, probe, state.account)
        else:
            account = self._verify_owner(device, probe, state.account, refusal)
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

    def _refusal(self, *, made_by_phone: bool, challenged: bool) -> MobileError | None:
        """Return what a phone is told whose palm is not its owner's; None: anybody's will do.

        Else a print of somebody's palm would sign in on any phone that somebody else trusts.
        """
        if self._rules.challenges and not challenged:
            return ChallengeNeeded("show this palm in a challenge")
        if made_by_phone and self._rules.templates is TemplateTrust.OWN_DEVICE:
            return TemplateNotAccepted("this is not the palm of this phone: send a picture")
        return None

    def _verify_owner(
        self, device: Device, probe: Probe, named: AccountId | None, refusal: MobileError
    ) -> AccountId | None:
        """Return the device's account if the palm matches it; compare with nobody else."""
        owner = device.account
        if owner is None or not device.is_trusted or named not in (None, owner):
            raise refusal
        if self._palms.matches(device, probe, owner):
            return owner
        if named or self._rules.policy is LoginPolicy.BOUND_DEVICE:
            return None
        raise refusal

    def _identify(
        self, device: Device, probe: Probe, named: AccountId | None
    ) -> AccountId | None:
        is_bound = self._rules.policy is LoginPolicy.BOUND_DEVICE
        if is_bound and named not in (None, device.account):
            return None
        searches = not named and not is_bound
        return self._palms.find(device, probe, named, searches=searches)

    def _record_outcome(
        self, device: Device, login_id: LoginId, account: AccountId | None
    ) -> ClaimedLoginState:
        if account is None:
            return self._door.record_outcome(login_id, _claimant(device), Mismatched())
        is_own = device.is_trusted and device.account == account
        outcome = Authenticated(account, self._clock(), TWO_FACTORS if is_own else ONE_FACTOR)
        state = self._door.record_outcome(login_id, _claimant(device), outcome)
        if not self._bind(device, account):
            # Deleted since the palm matched, perhaps after the provider erased it.
            self._door.erase_account(account)
            return self._door.get_state(login_id, _claimant(device))
        return state

    def _bind(self, device: Device, account: AccountId) -> bool:
        """Bind an unbound phone as new; False if the account no longer exists."""
        now = self._clock()
        with self._storage.writing() as transaction:
            if not transaction.references.lock_account(account):
                return False
            if device.trust is PhoneTrust.NONE:
                bind_new(transaction, device.device_id, account, now)
            transaction.devices.use(device.device_id, day_of(now))
        return True


def day_of(at: datetime) -> datetime:
    """Return the start of a day, UTC: who reads the database must not learn the minute."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _claimant(device: Device) -> Claimant:
    return Claimant(device.device_id)
