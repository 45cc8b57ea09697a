"""Port: transactions. A use case is one transaction."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from mobile_api.storage.account_codes import AccountCodes, Disputes
from mobile_api.storage.audit import Audit
from mobile_api.storage.devices import Attempts, Devices, Notices
from mobile_api.storage.enrolments import Enrolments
from mobile_api.storage.nonces import UsedNonces
from mobile_api.storage.passkeys import Passkeys
from mobile_api.storage.references import GalleryHistory, PendingErasures, References
from mobile_api.storage.template_keys import TemplateKeys


@dataclass(frozen=True, slots=True)
class Transaction:
    """All stores of one transaction."""

    devices: Devices
    notices: Notices
    attempts: Attempts
    nonces: UsedNonces
    enrolments: Enrolments
    references: References
    pending_erasures: PendingErasures
    history: GalleryHistory
    template_keys: TemplateKeys
    deletion_codes: AccountCodes
    recovery_codes: AccountCodes
    disputes: Disputes
    passkeys: Passkeys
    audit: Audit


class Storage(Protocol):
    """Begins transactions."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """Begin a read-only transaction."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction: committed at the block's end, rolled back on an exception."""

    def process_lock(self, work: str) -> AbstractContextManager[None]:
        """Hold a named lock across all processes of this database."""
