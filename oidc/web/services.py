"""What the routes share: the parts of the provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oidc.authorization.authorizer import Authorizer
    from oidc.clients.error_log import ClientErrorLog
    from oidc.clients.rate_limits import ClientRateLimits
    from oidc.clients.registration import Registrar
    from oidc.keys.keyring import KeyRing
    from oidc.login.browser import BrowserLogins
    from oidc.login.views import Progress
    from oidc.logout.delivery import LogoutDelivery
    from oidc.logout.rp_initiated import RpInitiatedLogout
    from oidc.plumbing.login_watch import LoginWatch
    from oidc.settings import OidcSettings
    from oidc.storage.database import Database
    from oidc.token_endpoint.client_endpoints import ClientEndpoints
    from oidc.token_endpoint.endpoint import TokenEndpoint
    from oidc.tokens.dpop import DpopProofs
    from oidc.tokens.userinfo import ProtectedResource
    from oidc.types import Clock, SessionSecret
    from oidc.web.cookies.cookie import SecretCookie
    from oidc.web.cookies.login_cookie import LoginCookies
    from oidc.web.cors import CorsPolicy
    from oidc.web.pages import Pages
    from oidc.web.paths import Paths


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one provider; see their classes."""

    settings: OidcSettings
    paths: Paths
    clock: Clock
    database: Database
    browser_logins: BrowserLogins
    watch: LoginWatch[Progress]
    rate_limits: ClientRateLimits
    token_endpoint: TokenEndpoint
    client_endpoints: ClientEndpoints
    userinfo: ProtectedResource
    proofs: DpopProofs
    cors: CorsPolicy
    registrar: Registrar
    error_log: ClientErrorLog
    keys: KeyRing
    pages: Pages
    cookies: LoginCookies
    known_browser_cookie: SecretCookie[str]
    session_cookie: SecretCookie[SessionSecret]
    authorizer: Authorizer
    logout: RpInitiatedLogout
    logout_delivery: LogoutDelivery
