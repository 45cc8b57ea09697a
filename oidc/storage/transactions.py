"""The stores of one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from oidc.storage.stores.audit import AuditStore
from oidc.storage.stores.client_errors import ClientErrorStore
from oidc.storage.stores.clients import ClientStore
from oidc.storage.stores.consents import ConsentStore
from oidc.storage.stores.developers import DeveloperStore, OwnedClientStore, PortalSessionStore
from oidc.storage.stores.grants import CodeStore, GrantStore, TokenStore
from oidc.storage.stores.keys import KeyStore
from oidc.storage.stores.known_browsers import KnownBrowserStore
from oidc.storage.stores.logins import LoginStore
from oidc.storage.stores.logouts import LogoutNoticeStore
from oidc.storage.stores.pseudonyms import PseudonymStore
from oidc.storage.stores.pushed import PushedRequestStore
from oidc.storage.stores.registrations import InitialTokenStore, RegistrationStore
from oidc.storage.stores.replay import ReplayStore
from oidc.storage.stores.restore import RestoreStore
from oidc.storage.stores.retention import RetentionStore
from oidc.storage.stores.sessions import SessionStore
from oidc.storage.stores.sign_ins import SignInStore
from oidc.storage.stores.store import Store

if TYPE_CHECKING:
    from sqlalchemy import Connection

StoreT = TypeVar("StoreT", bound=Store)


class _Made(Generic[StoreT]):
    """A store that is made when a transaction first uses it."""

    def __init__(self, kind: type[StoreT]) -> None:
        self._kind = kind

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, stores: Stores, _owner: type) -> StoreT:
        made: StoreT = self._kind(stores.connection)
        vars(stores)[self._name] = made  # found before this descriptor from now on
        return made


class Stores:
    """Every store, on the connection of one transaction. ``pseudonyms`` is for one module."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    clients = _Made(ClientStore)
    logins = _Made(LoginStore)
    grants = _Made(GrantStore)
    codes = _Made(CodeStore)
    tokens = _Made(TokenStore)
    keys = _Made(KeyStore)
    pseudonyms = _Made(PseudonymStore)
    replay = _Made(ReplayStore)
    pushed = _Made(PushedRequestStore)
    initial_tokens = _Made(InitialTokenStore)
    registrations = _Made(RegistrationStore)
    sessions = _Made(SessionStore)
    sign_ins = _Made(SignInStore)
    consents = _Made(ConsentStore)
    logouts = _Made(LogoutNoticeStore)
    known_browsers = _Made(KnownBrowserStore)
    developers = _Made(DeveloperStore)
    owned_clients = _Made(OwnedClientStore)
    portal_sessions = _Made(PortalSessionStore)
    client_errors = _Made(ClientErrorStore)
    retention = _Made(RetentionStore)
    restore = _Made(RestoreStore)
    audit = _Made(AuditStore)

    def append_audit_entries(self) -> None:
        """Write the recorded entries. Last in a transaction, because it takes a lock."""
        if "audit" in vars(self):
            self.audit.append_recorded()
