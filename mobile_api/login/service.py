"""Use case: a palm answers a login.

If the login names an account, only that one is verified. Otherwise the device's own account is
tried first and then, if the policy allows it, the whole gallery. A phone that no account trusts
is then bound to the one that matched, as a new phone: only a trusted one counts as a factor.
Where the client demands one, the login waits, and the palm proof answers it once it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from mobile_api.account.palm_proofs import PalmProofs
from mobile_api.devices.binding import bind_new
from mobile_api.errors import (
    ChallengeNeeded,
    DeviceUnbound,
    DeviceUnknown,
    MobileError,
    PalmProofExpired,
    PhoneNotTrusted,
    TemplateNotAccepted,
    TemplateUnmatched,
)
from mobile_api.provider import Provider
from mobile_api.recognition.counted_identification import CountedIdentification, Probe
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database
from mobile_api.types import (
    Clock,
    Device,
    LoginPolicy,
    PhoneTrust,
    StationChallenge,
    TemplateTrust,
)
from oidc.errors import LoginGone
from oidc.types import (
    AccountId,
    Authenticated,
    ClaimedLogin,
    ClaimedLoginState,
    Level,
    LoginId,
    LoginState,
    Mismatched,
    NextStep,
    Outcome,
    Ticket,
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a palm did to a login.

    Attributes:
        palm_proof: of the palm that matched, for a phone that must become trusted first.
    """

    state: ClaimedLoginState
    palm_proof: str | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class LoginService:
    """Answers logins.

    Attributes:
        challenges: only a palm shown in one is compared with other accounts.
    """

    provider: Provider
    database: Database
    palms: CountedIdentification
    palm_proofs: PalmProofs
    clock: Clock
    settings: MobileSettings
    challenges: bool

    def open(self, device: Device, ticket: Ticket, address: str | None) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code; the same device may claim it again.

        A station claims only what began in its own browser. Raises DeviceUnbound,
        PhoneNotTrusted, TicketStale, AlreadyClaimed, NotFromStation or LoginGone.
        """
        if self._must_be_bound(device):
            if device.account is None:
                raise DeviceUnbound("enrol a palm with this phone first")
            if not device.is_trusted:
                raise PhoneNotTrusted("this phone is new: approve it on a phone that you trust")
        station = device.station.cookie_digest if device.station else None
        return self.provider.claim(ticket, device.device_id, address, station)

    def look(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Return where a login stands, also after its end."""
        return self.provider.get_state(login_id, device.device_id)

    def require_waiting(self, device: Device, login_id: LoginId) -> None:
        """Require a login of this phone that waits for a palm. Raises LoginGone."""
        state = self.provider.get_state(login_id, device.device_id)
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
    ) -> Answered:
        """Answer a login with a palm.

        ``probe`` reads the palm, after the attempt is counted. ``made_by_phone``: no picture
        was seen here. ``challenged``: it was shown in a challenge. A phone that lost the
        response to a match may repeat this; nothing changes.

        Raises LoginGone, TemplateNotAccepted, TemplateUnmatched, ChallengeNeeded or
        TooManyAttempts.
        """
        refusal = self._refusal(device, made_by_phone=made_by_phone, challenged=challenged)
        state = self.provider.answer(
            login_id,
            device.device_id,
            partial(self._compare, device, probe, refusal),
            partial(self._bind, device),
        )
        if state.hint is not NextStep.PHONE_NOT_TRUSTED:
            return Answered(state)
        current = self._current(device)
        # A phone that is trusted by another account is not bound to the one that matched.
        if current.trust is not PhoneTrust.NEW:
            return Answered(state)
        return Answered(state, self.palm_proofs.issue(current).text)

    def answer_proved(
        self, device: Device, login_id: LoginId, palm_proof: str
    ) -> ClaimedLoginState:
        """Answer a login with a palm that this phone showed for it before it was trusted.

        Raises LoginGone, DeviceUnbound, PhoneNotTrusted or PalmProofExpired.
        """
        palm = self.palm_proofs.verify(device, palm_proof)
        if palm.shown_at < self.provider.get_state(login_id, device.device_id).asked_at:
            raise PalmProofExpired("show your palm for this sign-in")

        def compare(named: AccountId | None) -> Outcome:
            current = self._current(device)
            if not current.is_trusted or current.account != palm.account:
                raise PhoneNotTrusted("this phone is new: make it trusted first")
            if named not in (None, palm.account):
                return Mismatched()
            return Authenticated(palm.account, palm.shown_at, Level.PALM_AND_PHONE)

        bind = partial(self._bind, device)
        return self.provider.answer(login_id, device.device_id, compare, bind)

    def approve(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Approve a login whose palm matched."""
        return self.provider.approve(login_id, device.device_id)

    def decline(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Decline a login."""
        return self.provider.decline(login_id, device.device_id)

    def report(self, device: Device, login_id: LoginId) -> ClaimedLoginState:
        """Report a login that somebody else started: it ends, and what it issued is revoked."""
        return self.provider.report(login_id, device.device_id)

    def _current(self, device: Device) -> Device:
        """Return a device as it is now, which holds what it claimed before.

        A removal ends what a device has claimed. So who claimed, then is trusted here, and is
        removed then, answers nothing.
        """
        with self.database.read() as transaction:
            found = transaction.devices.find(device.device_id)
        if found is None:
            raise DeviceUnknown("this key is not registered any more")
        return replace(found, networks=device.networks, station=device.station)

    def _refusal(
        self, device: Device, *, made_by_phone: bool, challenged: bool
    ) -> MobileError | None:
        """Return what a phone is told whose palm is not its owner's; None: anybody's will do.

        Else a print of somebody's palm would sign in on any phone that somebody else trusts.
        The operator answers for what is held before a station.
        """
        asks_none = device.station and device.station.challenge is StationChallenge.NONE
        if self.challenges and not challenged and not asks_none:
            return ChallengeNeeded("show this palm in a challenge")
        if made_by_phone and self.settings.template_trust is TemplateTrust.OWN_DEVICE:
            return TemplateNotAccepted("this phone must send a picture")
        return None

    def _compare(
        self,
        device: Device,
        probe: Probe,
        refusal: MobileError | None,
        named: AccountId | None,
    ) -> Outcome:
        """Compare a palm with the account that a login names, or find its account."""
        device = self._current(device)
        if refusal is None:
            account = self._identify(device, probe, named)
        else:
            account = self._verify_owner(device, probe, named, refusal)
        if account is None:
            return Mismatched()
        return Authenticated(account, self.clock(), _level(device, account))

    def _verify_owner(
        self, device: Device, probe: Probe, named: AccountId | None, refusal: MobileError
    ) -> AccountId | None:
        """Return the device's account if the palm matches it; compare with nobody else."""
        owner = device.account
        if owner is None or not device.is_trusted:
            raise refusal
        if isinstance(refusal, TemplateNotAccepted):
            refusal = TemplateUnmatched("this is not the palm of this phone: send a picture")
        if named not in (None, owner):
            raise refusal
        if self.palms.matches(device, probe, owner):
            return owner
        if named or self.settings.login_policy is LoginPolicy.BOUND_DEVICE:
            return None
        raise refusal

    def _identify(
        self, device: Device, probe: Probe, named: AccountId | None
    ) -> AccountId | None:
        is_bound = self._must_be_bound(device)
        if is_bound and named not in (None, device.account):
            return None
        searches = not named and not is_bound
        return self.palms.find(device, probe, named, searches=searches)

    def _must_be_bound(self, device: Device) -> bool:
        """Tell whether only the device's own account may sign in; a station has none."""
        policy = self.settings.login_policy
        return policy is LoginPolicy.BOUND_DEVICE and device.station is None

    def _bind(self, device: Device, account: AccountId) -> bool:
        """Bind a phone that nobody trusts as new; no station. False: the account is gone."""
        now = self.clock()
        with self.database.write() as transaction:
            if not transaction.references.lock_account(account):
                return False
            if device.station is not None:
                transaction.stations.use(device.device_id, now)
                return True
            bind_new(transaction, device, account, now)
            transaction.devices.use(device.device_id, now)
        return True


def _level(device: Device, account: AccountId) -> Level:
    """Return what a palm proves on this device; a station claims only what began at it."""
    if device.station is not None:
        return Level.PALM_AT_STATION
    is_own = device.is_trusted and device.account == account
    return Level.PALM_AND_PHONE if is_own else Level.PALM
