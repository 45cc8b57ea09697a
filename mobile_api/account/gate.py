"""Asks the account rules for a phone: what it must show, and what it has just shown.

A palm proof: a phone that has just shown its palm need not show it again at once. A proof is a
MAC over device, account and expiry. It is not stored. Where the service asks for challenges it
stands for a palm in one: no other gives a proof.

A challenge is demanded by chance where the rules demand none. Whether it falls on a phone
changes by the hour and is secret until the phone asks: who meets one cannot begin again until
none is asked.
"""

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from mobile_api.account import rules
from mobile_api.account.rules import RULES, Operation, PasskeyUse, Standing
from mobile_api.devices import require_bound
from mobile_api.errors import (
    ChallengeNeeded,
    DeviceUnbound,
    PalmProofExpired,
    TemplateNotAccepted,
)
from mobile_api.settings import MobileSettings
from mobile_api.stations import require_phone
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import Clock, Device, StationChallenge, TemplateTrust
from oidc.types import AccountId

PERIOD_S: Final = 3600
"""How long a draw holds for a phone."""


@dataclass(frozen=True, slots=True)
class ChallengeDemand:
    """How often a trusted phone meets a challenge.

    Attributes:
        share: of its hours, 0 to 1.
        keys: secrets for this purpose only; the first draws.
    """

    share: float
    keys: Callable[[], Sequence[bytes]]

    def falls_on(self, device: Device, now: datetime) -> bool:
        """Return whether this phone meets one in this hour."""
        named = f"{device.device_id} {int(now.timestamp()) // PERIOD_S}".encode()
        drawn = int.from_bytes(hmac.digest(self.keys()[0], named, "sha256")[:8], "big")
        return drawn < self.share * 2**64


LIFETIME: Final = timedelta(minutes=5)
"""On the same phone only."""


@dataclass(frozen=True, slots=True)
class PalmProof:
    """A palm proof and its expiry (aware, UTC)."""

    text: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ProvedPalm:
    """Whose palm was shown, and when (aware, UTC)."""

    account: AccountId = field(repr=False)
    shown_at: datetime


class PalmProofs:
    """Issues and checks palm proofs.

    ``keys`` returns keys for this purpose only: the first signs, all verify.
    """

    def __init__(self, clock: Clock, keys: Callable[[], Sequence[bytes]]) -> None:
        self._clock, self._keys = clock, keys

    def issue(self, device: Device, expires_at: datetime | None = None) -> PalmProof:
        """Return a proof for a device whose palm was just verified. Raises DeviceUnbound.

        ``expires_at``: of the proof that this one repeats.
        """
        account = require_bound(device)
        expires_at = expires_at or self._clock() + LIFETIME
        end = int(expires_at.timestamp() * 1000)
        mac = _mac(self._keys()[0], device, account, end)
        return PalmProof(f"{end}-{mac}", expires_at)

    def require(self, device: Device, proof: str) -> AccountId:
        """Return the account of a device if the proof is valid: as ``verify``."""
        return self.verify(device, proof).account

    def verify(self, device: Device, proof: str) -> ProvedPalm:
        """Return what a proof of this device says. Raises DeviceUnbound or PalmProofExpired."""
        account = require_bound(device)
        text, _, mac = proof.partition("-")
        end = int(text) if text.isdecimal() and text.isascii() and len(text) < 15 else 0
        ours = [_mac(key, device, account, end) for key in self._keys()]
        is_ours = any(hmac.compare_digest(each.encode(), mac.encode()) for each in ours)
        expires_at = datetime.fromtimestamp(end / 1000, UTC)
        if not is_ours or self._clock() >= expires_at:
            raise PalmProofExpired("show your palm again")
        return ProvedPalm(account, expires_at - LIFETIME)


def _mac(key: bytes, device: Device, account: AccountId, end: int) -> str:
    return hmac.new(key, f"{device.device_id} {account} {end}".encode(), "sha256").hexdigest()


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
        if not self.takes_template(device):
            raise TemplateNotAccepted("this phone must send a picture")

    def takes_template(self, device: Device) -> bool:
        """Return whether templates of this phone are trusted."""
        return self.settings.template_trust is TemplateTrust.ANY_DEVICE or device.is_trusted

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
