"""Login: the palm that answers a pending login of the provider.

In this order: the login, the charge, the palm, one search, ``decide``, the provider's record,
and last the device. A phone that no account trusts is then bound to the one that matched, as a
new phone: only a trusted one counts as a factor. Where the client demands one, the login waits,
and the palm proof answers it once it is trusted.

``comparison`` and ``decide`` are pure. If the login names an account, only that one may answer.
Otherwise the device's own may and, if the policy allows it, any other.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeGuard

from mobile_api.account.gate import PalmProofs
from mobile_api.challenges.service import ChallengeService
from mobile_api.challenges.shown import Shown, ShownChallenge, ShownTemplates
from mobile_api.devices import bind_new
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
from mobile_api.limits import Charge, GalleryBudget
from mobile_api.provider import Provider
from mobile_api.recognition.identification import CountedIdentification
from mobile_api.recognition.reference_changes import AddedReferences, ExtractorMigration
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
class Policy:
    """The accounts that operator and request allow a palm to match.

    Attributes:
        is_bound: only the account of the device may sign in.
        refusal: why a palm is compared with the owner of a trusted device alone; None: with any
            account. Else a print of a palm would sign in on a phone that another person trusts.
    """

    is_bound: bool
    refusal: MobileError | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """With whom a palm is compared: the claimed account, and whether any other may match."""

    claimed: AccountId | None
    searches: bool


def comparison(named: AccountId | None, device: Device, policy: Policy) -> Comparison | None:
    """Return whom a palm is compared with; None: with no account, so that it cannot match.

    Raises the refusal of the policy if this is not the owner's device.
    """
    if policy.refusal is not None:
        if not device.is_trusted or named not in (None, device.account):
            raise policy.refusal
        return Comparison(device.account, searches=False)
    if policy.is_bound and named not in (None, device.account):
        return None
    return Comparison(named or device.account, searches=not named and not policy.is_bound)


def decide(
    found: AccountId | None,
    named: AccountId | None,
    device: Device,
    policy: Policy,
    now: datetime,
) -> Outcome:
    """Return the outcome of a palm that matched an account, or none.

    ``device`` is as it is now: what was asked may have been allowed by what it was. Raises the
    refusal of the policy where another account might have matched.
    """
    is_own = device.is_trusted and device.account == found
    if policy.refusal is not None and not is_own:
        if found is None and (named or policy.is_bound):
            return Mismatched()
        raise policy.refusal
    if found is None or named not in (None, found):
        return Mismatched()
    if policy.is_bound and found != device.account:
        return Mismatched()
    return Authenticated(found, now, _level(device, is_own=is_own))


def _level(device: Device, *, is_own: bool) -> Level:
    """Return what a palm proves on this device; a station claims only what began at it."""
    if device.station is not None:
        return Level.PALM_AT_STATION
    return Level.PALM_AND_PHONE if is_own else Level.PALM


@dataclass(frozen=True, slots=True)
class Answered:
    """The effect of a palm on a login.

    Attributes:
        palm_proof: of the palm that matched, for a phone that must become trusted first.
    """

    state: ClaimedLoginState
    palm_proof: str | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class LoginService:
    """Answers logins."""

    provider: Provider
    database: Database
    reader: ChallengeService
    budget: GalleryBudget
    palms: CountedIdentification
    palm_proofs: PalmProofs
    migration: ExtractorMigration
    added: AddedReferences
    clock: Clock
    settings: MobileSettings

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

    def require_waiting(self, device: Device, login_id: LoginId) -> None:
        """Require a login of this phone that waits for a palm. Raises LoginGone."""
        login = self.provider.get_state(login_id, device.device_id)
        if login.state is not LoginState.SCANNED:
            raise LoginGone(login.hint)

    def answer(self, device: Device, login_id: LoginId, shown: Shown) -> Answered:
        """Answer a login with a palm, which is read after the attempt is counted.

        A phone that lost the response to a match may repeat this; nothing changes. After a
        crash before ``_bind`` a new phone stays unbound.

        Raises LoginGone, TemplateNotAccepted, TemplateUnmatched, ChallengeNeeded or
        TooManyAttempts.
        """
        login = self.provider.awaiting_palm(login_id, device.device_id)
        if login.state is LoginState.VERIFIED:
            return self._answered(device, login)
        policy = self._policy(device, shown)
        compared = comparison(login.account, device, policy)
        if compared is None:
            return Answered(self._record(device, login_id, Mismatched()))
        # A challenge shows a living hand: its pictures are compared with enrolled ones alone.
        added = () if isinstance(shown, ShownChallenge) else self.added.of(device)
        own_account = compared.claimed == device.account
        with self.budget.charged(device, own_account=own_account) as charge:
            palm = self.reader.read(device, shown)
            found = self.palms.compare(
                charge, palm, compared.claimed, searches=compared.searches, added=added
            )
        current, now = charge.device, self.clock()
        outcome = decide(found, login.account, current, policy, now)
        state = self._record(current, login_id, outcome, charge)
        if _is_by_trusted_phone(outcome):
            if policy.refusal is None:  # a still might show two people's palms in one
                self.migration.advance(outcome.account, palm)
            self.added.advance(current, palm)
        return self._answered(current, state)

    def answer_proved(
        self, device: Device, login_id: LoginId, palm_proof: str
    ) -> ClaimedLoginState:
        """Answer a login with a palm that this phone showed for it before it was trusted.

        Raises LoginGone, DeviceUnbound, PhoneNotTrusted or PalmProofExpired.
        """
        palm = self.palm_proofs.verify(device, palm_proof)
        login = self.provider.awaiting_palm(login_id, device.device_id)
        if palm.shown_at < login.asked_at:
            raise PalmProofExpired("show your palm for this sign-in")
        if login.state is LoginState.VERIFIED:
            return login
        current = self._current(device)
        if not current.is_trusted or current.account != palm.account:
            raise PhoneNotTrusted("this phone is new: make it trusted first")
        policy = Policy(is_bound=False)
        outcome = decide(palm.account, login.account, current, policy, palm.shown_at)
        return self._record(current, login_id, outcome)

    def _policy(self, device: Device, shown: Shown) -> Policy:
        """Return what may be compared. The operator answers for what a station shows.

        Where challenges are asked, only a palm shown in one is compared with other accounts.
        """
        has_challenges = self.reader.detector is not None
        is_for_owner = self.settings.template_trust is TemplateTrust.OWN_DEVICE
        asks_none = device.station and device.station.challenge is StationChallenge.NONE
        refusal: MobileError | None = None
        if has_challenges and not isinstance(shown, ShownChallenge) and not asks_none:
            refusal = ChallengeNeeded("show this palm in a challenge")
        elif isinstance(shown, ShownTemplates) and is_for_owner:
            refusal = TemplateNotAccepted("this phone must send a picture")
            if device.is_trusted:
                refusal = TemplateUnmatched("not the palm of this phone: send a picture")
        return Policy(self._must_be_bound(device), refusal)

    def _must_be_bound(self, device: Device) -> bool:
        """Return whether only the device's own account may sign in; a station has none."""
        policy = self.settings.login_policy
        return policy is LoginPolicy.BOUND_DEVICE and device.station is None

    def _record(
        self, device: Device, login_id: LoginId, outcome: Outcome, charge: Charge | None = None
    ) -> ClaimedLoginState:
        """Record the palm at the provider, then clear the charge and bind the device.

        The account may have been deleted meanwhile: then it is deleted there again.
        """
        state = self.provider.record(login_id, device.device_id, outcome)
        if not isinstance(outcome, Authenticated):
            return state
        try:
            if self._bind(device, outcome.account, charge):
                return state
        except Exception:
            # Else the repeated request would sign in a phone that its account does not know.
            self.provider.cancel_logins(device.device_id)
            raise
        self.provider.delete_account(outcome.account, [])
        return self.provider.get_state(login_id, device.device_id)

    def _bind(self, device: Device, account: AccountId, charge: Charge | None) -> bool:
        """Bind a phone without trust as new; no station. False: the account is gone."""
        now = self.clock()
        with self.database.write() as transaction:
            if not transaction.references.lock_account(account):
                return False
            if charge is not None:
                transaction.attempts.clear(charge.attempt)
            if device.station is not None:
                transaction.stations.use(device.device_id, now)
                return True
            bind_new(transaction, device, account, now)
            transaction.devices.use(device.device_id, now)
        return True

    def _answered(self, device: Device, state: ClaimedLoginState) -> Answered:
        """Add a palm proof for a phone that must become trusted first.

        A phone that is trusted by another account is not bound to the one that matched.
        """
        if state.hint is not NextStep.PHONE_NOT_TRUSTED:
            return Answered(state)
        current = self._current(device)
        if current.trust is not PhoneTrust.NEW:
            return Answered(state)
        return Answered(state, self.palm_proofs.issue(current).text)

    def _current(self, device: Device) -> Device:
        """Return a device as it is now, after its claim was seen.

        A removal ends what a device has claimed. So who claimed, then is trusted here, and is
        removed then, answers nothing.
        """
        with self.database.read() as transaction:
            found = transaction.devices.find(device.device_id)
        if found is None:
            raise DeviceUnknown("this key is not registered any more")
        return replace(found, networks=device.networks, station=device.station)


def _is_by_trusted_phone(outcome: Outcome) -> TypeGuard[Authenticated]:
    return isinstance(outcome, Authenticated) and outcome.level is Level.PALM_AND_PHONE
