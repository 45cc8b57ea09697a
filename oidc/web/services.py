"""What the routes share: every part of the provider, already built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oidc.authorization.sign_on import Entrance
    from oidc.clients.error_log import ErrorNotes
    from oidc.clients.rate_limits import Quotas
    from oidc.clients.registration import Registrar
    from oidc.keys.keyring import KeyRing
    from oidc.login.browser import WaitingRoom
    from oidc.logout.delivery import LogoutDelivery
    from oidc.logout.rp_initiated import Logout
    from oidc.settings import OidcSettings
    from oidc.storage.transactions import Transactions
    from oidc.token_endpoint.client_endpoints import ClientCalls
    from oidc.token_endpoint.endpoint import TokenEndpoint
    from oidc.tokens.dpop import Proofs
    from oidc.tokens.userinfo import Resource
    from oidc.types import Clock
    from oidc.web.cookies import LoginCookies
    from oidc.web.cors import CorsPolicy
    from oidc.web.known_browser import KnownBrowserCookie
    from oidc.web.login_events import LoginWatch
    from oidc.web.pages import Pages
    from oidc.web.paths import Paths
    from oidc.web.session_cookie import SessionCookie


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one provider; see their classes."""

    settings: OidcSettings
    paths: Paths
    clock: Clock
    transactions: Transactions
    waiting: WaitingRoom
    watch: LoginWatch
    quotas: Quotas
    token_endpoint: TokenEndpoint
    client_calls: ClientCalls
    userinfo: Resource
    proofs: Proofs
    cors: CorsPolicy
    registrar: Registrar
    error_notes: ErrorNotes
    keys: KeyRing
    pages: Pages
    cookies: LoginCookies
    known_browser_cookie: KnownBrowserCookie
    session_cookie: SessionCookie
    entrance: Entrance
    logout: Logout
    logout_delivery: LogoutDelivery
