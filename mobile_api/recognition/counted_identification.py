"""Finds whose palm a probe is, after counting the attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.errors import EngineError
from mobile_api.errors import ServiceBusy
from mobile_api.limits import attempts
from mobile_api.limits.attempts import AttemptLimits
from mobile_api.recognition.identification import Identification
from mobile_api.storage.transaction import Storage
from mobile_api.types import CapturedPalm, Clock, Device
from oidc.types import AccountId

Probe = Callable[[], CapturedPalm]
"""Reads the palm, after the attempt is counted."""


@dataclass(frozen=True, slots=True)
class CountedIdentification:
    """Compares palms within the limits."""

    storage: Storage
    identification: Identification
    clock: Clock
    limits: AttemptLimits
    after_own_phone: Callable[[AccountId, CapturedPalm], None]
    """Called after a match on a phone of that account."""

    def matches(self, device: Device, probe: Probe, account: AccountId) -> bool:
        """Tell whether a palm matches one account; counts like a search.

        Raises TooManyAttempts.
        """
        with self._counted(device, searches=True) as clear:
            is_match = self.identification.verify(probe(), account)
            if is_match:
                clear()
        return is_match

    def find(
        self, device: Device, probe: Probe, named: AccountId | None, *, searches: bool
    ) -> AccountId | None:
        """Return the account of a palm: the one named, the phone's own, or any.

        Only with ``searches`` the whole gallery is searched. Raises TooManyAttempts.
        """
        with self._counted(device, searches=searches) as clear:
            captured = probe()
            found = self._known(device, captured, named)
            if found is None and searches:
                found = self.identification.identify(captured)
            if found is not None:
                clear()
        return found

    def _known(
        self, device: Device, captured: CapturedPalm, named: AccountId | None
    ) -> AccountId | None:
        claimed = named or device.account
        if claimed is None or not self.identification.verify(captured, claimed):
            return None
        if claimed == device.account:
            self.after_own_phone(claimed, captured)
        return claimed

    @contextmanager
    def _counted(self, device: Device, *, searches: bool) -> Iterator[Callable[[], None]]:
        """Count an attempt as failed before its palm is processed; yield a call that clears it.

        A picture without a template also clears it: nothing was searched. Other errors do not.
        """
        with self.storage.writing() as transaction:
            attempt = attempts.count(
                transaction, device, self.clock(), self.limits, searches=searches
            )

        def clear() -> None:
            if searches:
                with self.storage.writing() as transaction:
                    transaction.attempts.clear(attempt)

        try:
            yield clear
        except (EngineError, ServiceBusy):
            clear()
            raise
