"""The stores of one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Connection

from oidc.storage.stores.aliases import AliasStore
from oidc.storage.stores.audit import AuditStore
from oidc.storage.stores.clients.clients import (
    ClientErrorStore,
    ClientLogoStore,
    ClientStore,
    InitialTokenStore,
    RegistrationStore,
)  # fmt: skip
from oidc.storage.stores.clients.developers import (
    DeveloperStore,
    OwnedClientStore,
    PortalSessionStore,
)
from oidc.storage.stores.clients.teams import ClientTeamStore, TeamNoticeStore
from oidc.storage.stores.consents import ConsentStore
from oidc.storage.stores.grants import CodeStore, GrantStore, TokenStore
from oidc.storage.stores.keys import KeyStore
from oidc.storage.stores.logins.known_browsers import KnownBrowserStore
from oidc.storage.stores.logins.login_days import LoginDayStore
from oidc.storage.stores.logins.logins import LoginStore
from oidc.storage.stores.logins.logouts import LogoutNoticeStore
from oidc.storage.stores.logins.pushed import PushedRequestStore
from oidc.storage.stores.logins.sessions import SessionStore
from oidc.storage.stores.logins.sign_ins import SignInStore
from oidc.storage.stores.processes import ProcessStore
from oidc.storage.stores.pseudonyms import PseudonymStore
from oidc.storage.stores.replay import ReplayStore
from oidc.storage.stores.restore import RestoreStore
from oidc.storage.stores.retention import RetentionStore


@dataclass(eq=False)
class Stores:
    """Every store, on the connection of one transaction, made when it is first used.

    ``pseudonyms`` is for one module.
    """

    connection: Connection

    clients = cached_property(lambda own: ClientStore(own.connection))
    logins = cached_property(lambda own: LoginStore(own.connection))
    login_days = cached_property(lambda own: LoginDayStore(own.connection))
    grants = cached_property(lambda own: GrantStore(own.connection))
    codes = cached_property(lambda own: CodeStore(own.connection))
    tokens = cached_property(lambda own: TokenStore(own.connection))
    keys = cached_property(lambda own: KeyStore(own.connection))
    pseudonyms = cached_property(lambda own: PseudonymStore(own.connection))
    aliases = cached_property(lambda own: AliasStore(own.connection))
    replay = cached_property(lambda own: ReplayStore(own.connection))
    pushed = cached_property(lambda own: PushedRequestStore(own.connection))
    initial_tokens = cached_property(lambda own: InitialTokenStore(own.connection))
    registrations = cached_property(lambda own: RegistrationStore(own.connection))
    sessions = cached_property(lambda own: SessionStore(own.connection))
    sign_ins = cached_property(lambda own: SignInStore(own.connection))
    consents = cached_property(lambda own: ConsentStore(own.connection))
    logouts = cached_property(lambda own: LogoutNoticeStore(own.connection))
    known_browsers = cached_property(lambda own: KnownBrowserStore(own.connection))
    developers = cached_property(lambda own: DeveloperStore(own.connection))
    owned_clients = cached_property(lambda own: OwnedClientStore(own.connection))
    client_logos = cached_property(lambda own: ClientLogoStore(own.connection))
    client_teams = cached_property(lambda own: ClientTeamStore(own.connection))
    team_notices = cached_property(lambda own: TeamNoticeStore(own.connection))
    portal_sessions = cached_property(lambda own: PortalSessionStore(own.connection))
    client_errors = cached_property(lambda own: ClientErrorStore(own.connection))
    retention = cached_property(lambda own: RetentionStore(own.connection))
    restore = cached_property(lambda own: RestoreStore(own.connection))
    processes = cached_property(lambda own: ProcessStore(own.connection))
    audit = cached_property(lambda own: AuditStore(own.connection))
