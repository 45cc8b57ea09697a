"""A transaction and the stores in it. A use case is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sqlalchemy import Connection

from mobile_api.storage import schema as t
from mobile_api.storage.stores.account_codes import AccountCodes, Disputes
from mobile_api.storage.stores.alias_key import AliasKeyStore
from mobile_api.storage.stores.attempts import Attempts
from mobile_api.storage.stores.challenges import Challenges, MotionCodes
from mobile_api.storage.stores.devices import Devices, Notices
from mobile_api.storage.stores.enrolments import Enrolments
from mobile_api.storage.stores.fine_times import FineTimes
from mobile_api.storage.stores.gallery_history import GalleryHistory
from mobile_api.storage.stores.nonces import UsedNonces
from mobile_api.storage.stores.passkeys import Passkeys
from mobile_api.storage.stores.push_subscriptions import PushSubscriptions
from mobile_api.storage.stores.references import PendingErasures, References
from mobile_api.storage.stores.stations import Stations
from mobile_api.storage.stores.template_keys import TemplateKeys
from oidc.plumbing.audit_chain import AuditChain

_AUDIT_LOCK: Final = 7_226_002
"""PostgreSQL advisory lock for appending to the audit log."""


@dataclass(eq=False)
class Transaction:
    """Every store, on the connection of one transaction, made when it is first used."""

    connection: Connection

    devices = cached_property(lambda own: Devices(own.connection))
    notices = cached_property(lambda own: Notices(own.connection))
    attempts = cached_property(lambda own: Attempts(own.connection))
    nonces = cached_property(lambda own: UsedNonces(own.connection))
    enrolments = cached_property(lambda own: Enrolments(own.connection))
    challenges = cached_property(lambda own: Challenges(own.connection))
    motion_codes = cached_property(lambda own: MotionCodes(own.connection))
    references = cached_property(lambda own: References(own.connection))
    pending_erasures = cached_property(lambda own: PendingErasures(own.connection))
    fine_times = cached_property(lambda own: FineTimes(own.connection))
    history = cached_property(lambda own: GalleryHistory(own.connection))
    template_keys = cached_property(lambda own: TemplateKeys(own.connection))
    alias_key = cached_property(lambda own: AliasKeyStore(own.connection))
    deletion_codes = cached_property(lambda own: AccountCodes(own.connection, t.deletion_codes))
    recovery_codes = cached_property(lambda own: AccountCodes(own.connection, t.recovery_codes))
    disputes = cached_property(lambda own: Disputes(own.connection))
    stations = cached_property(lambda own: Stations(own.connection))
    passkeys = cached_property(lambda own: Passkeys(own.connection))
    push_subscriptions = cached_property(lambda own: PushSubscriptions(own.connection))
    audit = cached_property(
        lambda own: AuditChain(own.connection, t.audit_entries, _AUDIT_LOCK)
    )
