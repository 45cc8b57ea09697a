"""A transaction and the stores in it. A use case is one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from sqlalchemy import Connection

from mobile_api.storage import schema as t
from mobile_api.storage.stores.account_codes import AccountCodes, Disputes
from mobile_api.storage.stores.attempts import Attempts
from mobile_api.storage.stores.devices import Devices, Notices
from mobile_api.storage.stores.enrolments import Enrolments
from mobile_api.storage.stores.gallery_history import GalleryHistory
from mobile_api.storage.stores.nonces import UsedNonces
from mobile_api.storage.stores.passkeys import Passkeys
from mobile_api.storage.stores.references import PendingErasures, References
from mobile_api.storage.stores.template_keys import TemplateKeys
from oidc.storage.stores.audit_chain import AuditChain

_AUDIT_LOCK: Final = 7_226_002
"""PostgreSQL advisory lock for appending to the audit log."""


class Transaction:
    """Every store, made when it is used."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @cached_property
    def devices(self) -> Devices:
        """Registered phones."""
        return Devices(self._connection)

    @cached_property
    def notices(self) -> Notices:
        """What phones are told."""
        return Notices(self._connection)

    @cached_property
    def attempts(self) -> Attempts:
        """Palms that were presented."""
        return Attempts(self._connection)

    @cached_property
    def nonces(self) -> UsedNonces:
        """Used nonces."""
        return UsedNonces(self._connection)

    @cached_property
    def enrolments(self) -> Enrolments:
        """Pending enrolments."""
        return Enrolments(self._connection)

    @cached_property
    def references(self) -> References:
        """Accounts and their references."""
        return References(self._connection)

    @cached_property
    def pending_erasures(self) -> PendingErasures:
        """Erased accounts that the provider still has to forget."""
        return PendingErasures(self._connection)

    @cached_property
    def history(self) -> GalleryHistory:
        """The gallery's change feed."""
        return GalleryHistory(self._connection)

    @cached_property
    def template_keys(self) -> TemplateKeys:
        """Templates by key and by extractor."""
        return TemplateKeys(self._connection)

    @cached_property
    def deletion_codes(self) -> AccountCodes:
        """They delete an account."""
        return AccountCodes(self._connection, t.deletion_codes)

    @cached_property
    def recovery_codes(self) -> AccountCodes:
        """They make a phone trusted."""
        return AccountCodes(self._connection, t.recovery_codes)

    @cached_property
    def disputes(self) -> Disputes:
        """Disputes about a palm."""
        return Disputes(self._connection)

    @cached_property
    def passkeys(self) -> Passkeys:
        """Passkeys."""
        return Passkeys(self._connection)

    @cached_property
    def audit(self) -> AuditChain:
        """The audit log."""
        return AuditChain(self._connection, t.audit_entries, _AUDIT_LOCK)
