"""Port: one transaction, and how to begin it. The use case is the transaction."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from mobile_api.storage.audit import Audit
from mobile_api.storage.deletion_codes import DeletionCodes
from mobile_api.storage.devices import Attempts, Devices
from mobile_api.storage.enrolments import Enrolments
from mobile_api.storage.nonces import UsedNonces
from mobile_api.storage.passkeys import Passkeys
from mobile_api.storage.references import GalleryHistory, PendingErasures, References
from mobile_api.storage.template_keys import TemplateKeys


@dataclass(frozen=True, slots=True)
class Transaction:
    """All stores, within one transaction."""

    devices: Devices
    attempts: Attempts
    nonces: UsedNonces
    enrolments: Enrolments
    references: References
    pending_erasures: PendingErasures
    history: GalleryHistory
    template_keys: TemplateKeys
    deletion_codes: DeletionCodes
    passkeys: Passkeys
    audit: Audit


class Storage(Protocol):
    """Begins transactions."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """Begin a unit that changes nothing."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Begin a unit that is committed when its block ends, undone when it raises."""

    def process_lock(self, work: str) -> AbstractContextManager[None]:
        """Keep every other process of this database out of a piece of work."""
