"""Finds whose palm a probe is, after charging the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.types import Hand
from mobile_api.devices import require_bound
from mobile_api.errors import PalmDisputed, PalmMismatch
from mobile_api.limits import Charge, GalleryBudget
from mobile_api.recognition.identification import Identification
from mobile_api.storage.database import Database
from mobile_api.types import CapturedPalm, Clock, Device, PalmLock, Question
from oidc.types import AccountId

Probe = Callable[[], CapturedPalm]
"""Reads the palm, after the question is charged."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A palm that was charged and compared.

    Attributes:
        account: that it matches and may speak for, None without one.
        charge: counts as a question without a match until it is cleared.
    """

    account: AccountId | None
    charge: Charge
    captured: CapturedPalm = field(repr=False)


@dataclass(frozen=True, slots=True)
class CountedIdentification:
    """Compares palms within the gallery budget, and lets no disputed one open anything."""

    database: Database
    identification: Identification
    budget: GalleryBudget
    clock: Clock

    def require_owner(self, device: Device, probe: Probe) -> AccountId:
        """Return the account of a device if this is its palm.

        Raises DeviceUnbound, PalmMismatch, PalmDisputed or TooManyAttempts.
        """
        account = require_bound(device)
        compared = self.compare(device, probe, account, searches=False)
        if compared.account is None:
            raise PalmMismatch("not a palm of this phone's account")
        compared.charge.clear()
        return account

    def compare(
        self,
        device: Device,
        probe: Probe,
        claimed: AccountId | None,
        *,
        searches: bool,
        despite: PalmLock = PalmLock.NOWHERE,
    ) -> Compared:
        """Charge a palm, read it, and compare it with the claimed account by one search.

        With ``searches``, and within the budget, any other account may match. ``despite`` is
        the strictest lock that does not matter. Raises PalmDisputed or TooManyAttempts.
        """
        own_account = claimed == device.account
        with self.budget.charged(device, own_account=own_account) as charge:
            captured = probe()
            may_search = searches and not captured.owner_alone
            if captured.owner_alone and not own_account:
                return Compared(None, charge, captured)
            has_budget = charge.question is Question.WHOSE_PALM
            found = self.identification.recognise(
                captured, claimed, searches=may_search and has_budget
            )
            if found is None and may_search:
                charge.require(Question.WHOSE_PALM)
            if found is not None:
                self._require_undisputed(charge.device, found, captured.hand, despite)
        return Compared(found, charge, captured)

    def _require_undisputed(
        self, device: Device, account: AccountId, hand: Hand, despite: PalmLock
    ) -> None:
        """Raise PalmDisputed unless this palm may speak for the account on this phone."""
        is_own = device.is_trusted and device.account == account
        open_to = PalmLock.NEW_PHONES if is_own else despite
        with self.database.read() as transaction:
            lock = transaction.disputes.lock_of(account, hand, self.clock())
        if lock > open_to:
            raise PalmDisputed("two people claim this palm: show your other one")
