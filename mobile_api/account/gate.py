"""Asks the account rules for a phone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mobile_api.account import rules
from mobile_api.account.rules import RULES, Operation, PasskeyUse, Standing
from mobile_api.challenges.demand import ChallengeDemand
from mobile_api.devices import require_bound
from mobile_api.errors import ChallengeNeeded, DeviceUnbound, TemplateNotAccepted
from mobile_api.settings import MobileSettings
from mobile_api.stations import require_phone
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Clock, Device, StationChallenge, TemplateTrust
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class AccountGate:
    """Lets phones do what the account rules allow.

    Attributes:
        challenges: when one is demanded by chance; None if none ever is.
    """

    database: Database
    clock: Clock
    settings: MobileSettings
    challenges: ChallengeDemand | None

    def require(self, device: Device, operation: Operation) -> None:
        """Raise what ``rules.require`` does, or StationRefused, unless it is allowed."""
        if operation is not Operation.SIGN_IN:
            require_phone(device)
        age = None
        if RULES[operation].passkey is not PasskeyUse.ANY:
            age = self._passkey_age(device)
        self._require(operation, device, age)

    def demands_challenge(self, device: Device, operation: Operation) -> bool:
        """Return whether this phone must show the palm in a challenge."""
        if self.challenges is None or not RULES[operation].palm:
            return False
        if device.station is not None:
            return device.station.challenge is StationChallenge.HAND
        if rules.needs_challenge(operation, device.trust):
            return True
        return self.challenges.falls_on(device, self.clock())

    def require_still(self, device: Device, operation: Operation) -> None:
        """Raise ChallengeNeeded unless a picture or template of the palm is enough."""
        if self.demands_challenge(device, operation):
            raise ChallengeNeeded("show your palm in a challenge")

    def require_template(self, device: Device) -> None:
        """Raise TemplateNotAccepted if this phone must send pictures.

        A forged template can resemble far more people than a picture.
        """
        if self.settings.template_trust is TemplateTrust.OWN_DEVICE and not device.is_trusted:
            raise TemplateNotAccepted("this phone must send a picture")

    def lock(self, transaction: Transaction, device: Device, operation: Operation) -> AccountId:
        """Lock the account of a phone and return it, if the phone is still as trusted.

        Of several phones that change one account at once, one comes first.

        Raises DeviceUnbound, PhoneNotTrusted or PhoneOwnsLater.
        """
        account = device.account
        if account is None or not transaction.references.lock_account(account, alone=True):
            raise DeviceUnbound("this phone belongs to no account")
        return self.judge(transaction, device, operation)

    def judge(
        self, transaction: Transaction, device: Device, operation: Operation
    ) -> AccountId:
        """As ``lock``, in a transaction that has locked the phone's account already."""
        account = require_bound(device)
        current = transaction.devices.find(device.device_id)
        if current is None or current.account != account:
            raise DeviceUnbound("this phone belongs to no account")
        self._require(operation, current, None)
        return account

    def _require(self, operation: Operation, device: Device, age: timedelta | None) -> None:
        owns = device.owns_from is None or device.owns_from <= self.clock()
        sign_in_age = timedelta(seconds=self.settings.passkey_age_s)
        rules.require(operation, Standing(device.trust, age, owns), sign_in_age)

    def _passkey_age(self, device: Device) -> timedelta | None:
        with self.database.read() as transaction:
            last = transaction.passkeys.last_authentication(device.device_id)
        # A passkey of an earlier host name cannot be used any more.
        if last is None or last.rp_id != self.settings.rp_id:
            return None
        return self.clock() - last.at
