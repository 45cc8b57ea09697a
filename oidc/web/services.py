"""Builds what the provider's routes share."""

from typing import Final

from oidc.authorization.authorizer import Authorizer, ScriptedSignIn
from oidc.client import Setter
from oidc.clients.error_log import ClientErrorLog
from oidc.clients.rate_limits import ClientRateLimits
from oidc.clients.registration import Registrar
from oidc.keys import KeyCipher, SigningKeys, load_cipher
from oidc.login.browser import BrowserLogins
from oidc.logout import LogoutDelivery, LogoutHttpClient, RpInitiatedLogout
from oidc.plumbing.cookies import STATION_COOKIE, STATION_COOKIE_S
from oidc.plumbing.login_watch import LoginWatch
from oidc.settings import OidcSettings
from oidc.storage.database import Database, GroupCommit
from oidc.token_endpoint.authentication import ClientAuthenticator
from oidc.token_endpoint.endpoint import ClientEndpoints, Issuer, TokenEndpoint
from oidc.token_endpoint.grants import Grants
from oidc.token_endpoint.requests import DpopBinding
from oidc.tokens.access import (
    AccessTokens,
    DpopNonces,
    DpopProofs,
    Introspection,
    ProtectedResource,
)
from oidc.types import Clock, SessionSecret
from oidc.web.cookies import LoginCookies, SecretCookie
from oidc.web.cors import CorsPolicy
from oidc.web.pages import Pages
from oidc.web.paths import paths_of

_COOKIE_SLACK_S: Final = 3600
"""A cookie outlives its login by this long: a late browser still learns how it ended."""

_AUDIENCES: Final = tuple(
    f"{prefix}/{endpoint}"
    for prefix in ("", "/oauth")
    for endpoint in ("token", "par", "revoke", "introspect")
)
"""Accepted as ``aud`` of a client assertion, beside the issuer."""


class Services:
    """The parts of one provider, which its routes share; see their classes.

    The database must be migrated. Raises ``SigningKeyFault`` without a key encryption key.
    """

    def __init__(self, settings: OidcSettings, clock: Clock, database: Database) -> None:
        self.settings, self.clock, self.database = settings, clock, database
        self.paths = paths_of(settings)
        self._issuer, self._base = settings.issuer, settings.base_url
        self.cipher: KeyCipher = load_cipher(settings.key_source)
        self.keys = SigningKeys(database, self.cipher, clock)
        self.rate_limits = ClientRateLimits(settings.client_limits, settings.limits_dir)
        self.error_log = ClientErrorLog(database, clock)
        self._set_logins()
        self._set_tokens()
        self._set_pages()

    def close(self) -> None:
        """Store what the error log still has, and close the database."""
        self.error_log.close()
        self.database.close()

    def _set_logins(self) -> None:
        """Set what browsers sign in and out by."""
        settings, clock, database = self.settings, self.clock, self.database
        self.browser_logins = BrowserLogins(
            database, settings.limits, settings.lifetimes, clock
        )
        self.watch = LoginWatch(
            self.browser_logins.progress_of,
            interval_s=settings.watch_interval_s,
            capacity=settings.stream_count,
            lasts_s=lambda state: (state.expires_at - clock()).total_seconds(),
        )
        self.authorizer = Authorizer(
            database, self.browser_logins, self.keys, clock, self._issuer, settings.lifetimes,
            ScriptedSignIn(database, clock, settings.lifetimes),
        )  # fmt: skip
        self.logout = RpInitiatedLogout(database, self.keys, clock, self._issuer)
        post = LogoutHttpClient(allows_private_hosts=settings.allows_private_hosts)
        self.logout_delivery = LogoutDelivery(database, self.keys, clock, self._issuer, post)

    def _set_tokens(self) -> None:
        """Set what clients register, authenticate and get tokens by."""
        settings, clock, database = self.settings, self.clock, self.database
        nonces = DpopNonces(self.cipher.derive(b"thenar dpop nonce"))
        self.proofs = DpopProofs(clock, nonces, need_nonce=settings.dpop_nonce)
        access_tokens = AccessTokens(database, self.keys, clock, self._issuer, self._base)
        self.userinfo = ProtectedResource(
            access_tokens, self.proofs, self._both_forms("userinfo")
        )
        audiences = frozenset({self._issuer, *(self._base + path for path in _AUDIENCES)})
        authenticator = ClientAuthenticator(
            clock, audiences, self._issuer, settings.profile, self.rate_limits
        )
        binding = DpopBinding(self.proofs, self._both_forms("token"))
        self.token_endpoint = TokenEndpoint(
            database,
            Grants(authenticator, binding, settings.lifetimes, clock),
            Issuer(
                keys=self.keys,
                clock=clock,
                issuer=self._issuer,
                audience=self._base,
                lifetimes=settings.lifetimes,
                access_token_algorithm=settings.access_token_algorithm,
            ),
        )
        self.group_commit = GroupCommit(database)
        self.client_endpoints = ClientEndpoints(
            database,
            authenticator,
            Introspection(access_tokens, clock, self._issuer),
            DpopBinding(self.proofs, self._both_forms("par")),
            settings.require_pkce,
        )
        self.registrar = Registrar(
            database, clock, f"{self._base}/register", settings.registrations_hourly,
            settings.policy(Setter.CLIENT),
        )  # fmt: skip

    def _set_pages(self) -> None:
        """Set pages and cookies."""
        settings, limits = self.settings, self.settings.limits
        self.cors = CorsPolicy(self.database, self.clock)
        self.pages = Pages(settings)
        total_s = limits.pending_s + limits.scanned_s + limits.verified_s + limits.approved_s
        total_s += limits.renewable_s + limits.code_s
        self.cookies = LoginCookies(
            is_secure=settings.is_secure, lifetime_s=total_s + _COOKIE_SLACK_S
        )
        # With an account it tells that this browser finished a login before, so that a new one
        # needs no confirmation code; it names no person.
        known_s = max(settings.known_browser_days * 86_400, _COOKIE_SLACK_S)
        self.known_browser_cookie = SecretCookie(
            "thenar-browser", str, settings.is_secure, known_s
        )
        # An enrolled station has it from mobile_api; used, it lasts longer.
        self.station_cookie = SecretCookie(
            STATION_COOKIE, str, settings.is_secure, STATION_COOKIE_S
        )
        # Until it closes, or earlier, a palm need not be shown again in this browser.
        self.session_cookie = SecretCookie(
            "thenar-session", SessionSecret, settings.is_secure, None
        )

    def _both_forms(self, endpoint: str) -> frozenset[str]:
        """Return both URLs of an endpoint (specification §4)."""
        return frozenset({f"{self._base}/{endpoint}", f"{self._base}/oauth/{endpoint}"})
