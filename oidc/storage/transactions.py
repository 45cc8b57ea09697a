"""The stores of one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from oidc.storage.stores.store import Made

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(eq=False)
class Stores:
    """Every store, on the connection of one transaction. ``pseudonyms`` is for one module."""

    connection: Connection

    clients = Made(ClientStore)
    logins = Made(LoginStore)
    grants = Made(GrantStore)
    codes = Made(CodeStore)
    tokens = Made(TokenStore)
    keys = Made(KeyStore)
    pseudonyms = Made(PseudonymStore)
    replay = Made(ReplayStore)
    pushed = Made(PushedRequestStore)
    initial_tokens = Made(InitialTokenStore)
    registrations = Made(RegistrationStore)
    sessions = Made(SessionStore)
    sign_ins = Made(SignInStore)
    consents = Made(ConsentStore)
    logouts = Made(LogoutNoticeStore)
    known_browsers = Made(KnownBrowserStore)
    developers = Made(DeveloperStore)
    owned_clients = Made(OwnedClientStore)
    portal_sessions = Made(PortalSessionStore)
    client_errors = Made(ClientErrorStore)
    retention = Made(RetentionStore)
    restore = Made(RestoreStore)
    audit = Made(AuditStore)
