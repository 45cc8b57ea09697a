"""Finds whose palm a probe is, after charging the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.types import Hand
from mobile_api.devices.binding import require_bound
from mobile_api.errors import PalmDisputed, PalmMismatch
from mobile_api.limits.gallery_budget import GalleryBudget
from mobile_api.recognition.extractor_migration import ExtractorMigration
from mobile_api.recognition.identification import Identification
from mobile_api.storage.database import Database
from mobile_api.types import CapturedPalm, Clock, Device, PalmLock, Question
from oidc.types import AccountId

Probe = Callable[[], CapturedPalm]
"""Reads the palm, after the question is charged."""


@dataclass(frozen=True, slots=True)
class CountedIdentification:
    """Compares palms within the gallery budget, and lets no disputed one open anything."""

    database: Database
    identification: Identification
    budget: GalleryBudget
    migration: ExtractorMigration
    clock: Clock

    def require_owner(self, device: Device, probe: Probe) -> AccountId:
        """Return the account of a device if this is its palm.

        Raises DeviceUnbound, PalmMismatch, PalmDisputed or TooManyAttempts.
        """
        account = require_bound(device)
        if not self.matches(device, probe, account):
            raise PalmMismatch("not a palm of this phone's account")
        return account

    def matches(self, device: Device, probe: Probe, account: AccountId) -> bool:
        """Tell whether a palm matches one account.

        Raises PalmDisputed or TooManyAttempts.
        """
        with self.budget.charged(device, own_account=account == device.account) as charge:
            captured = probe()
            is_match = self.identification.verify(captured, account)
            if is_match:
                self._require_undisputed(device, account, captured.hand)
                charge.clear()
        return is_match

    def find(
        self,
        device: Device,
        probe: Probe,
        named: AccountId | None,
        *,
        searches: bool,
        despite: PalmLock = PalmLock.NOWHERE,
    ) -> AccountId | None:
        """Return the account of a palm: the one named, the phone's own, or any.

        The whole gallery is searched only with ``searches``, and within the budget; ``despite``
        is the strictest lock that does not matter. Raises PalmDisputed or TooManyAttempts.
        """
        own_account = named in (None, device.account)
        with self.budget.charged(device, own_account=own_account) as charge:
            captured = probe()
            found = self._known(device, captured, named)
            if found is None and searches and not captured.owner_alone:
                charge.require(Question.WHOSE_PALM)
                found = self.identification.identify(captured)
            if found is not None:
                self._require_undisputed(device, found, captured.hand, despite)
                charge.clear()
                if device.is_trusted and found == device.account:
                    self.migration.advance(found, captured)
        return found

    def _require_undisputed(
        self,
        device: Device,
        account: AccountId,
        hand: Hand,
        despite: PalmLock = PalmLock.NOWHERE,
    ) -> None:
        """Raise PalmDisputed unless this palm may speak for the account on this phone."""
        is_own = device.is_trusted and device.account == account
        open_to = PalmLock.NEW_PHONES if is_own else despite
        with self.database.read() as transaction:
            lock = transaction.disputes.lock_of(account, hand, self.clock())
        if lock > open_to:
            raise PalmDisputed("two people claim this palm: show your other one")

    def _known(
        self, device: Device, captured: CapturedPalm, named: AccountId | None
    ) -> AccountId | None:
        claimed = named or device.account
        if captured.owner_alone and claimed != device.account:
            return None
        if claimed is None or not self.identification.verify(captured, claimed):
            return None
        return claimed
