"""Builds every part of the provider; the only module that knows every class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from oidc.authorization.authorizer import Authorizer
from oidc.authorization.scripted import ScriptedSignIn
from oidc.clients.error_log import ClientErrorLog
from oidc.clients.rate_limits import ClientRateLimits
from oidc.clients.registration import Registrar
from oidc.keys.encryption import load_cipher
from oidc.keys.keyring import KeyRing
from oidc.login.browser import BrowserLogins
from oidc.logout.delivery import LogoutDelivery
from oidc.logout.http_client import LogoutHttpClient
from oidc.logout.rp_initiated import RpInitiatedLogout
from oidc.plumbing.login_watch import LoginWatch
from oidc.token_endpoint.authentication import ClientAuthenticator
from oidc.token_endpoint.client_endpoints import ClientEndpoints
from oidc.token_endpoint.dpop_binding import DpopBinding
from oidc.token_endpoint.endpoint import TokenEndpoint
from oidc.token_endpoint.issuing import Issuer
from oidc.tokens.access import AccessTokens
from oidc.tokens.dpop import DpopNonces, DpopProofs
from oidc.tokens.introspection import Introspection
from oidc.tokens.userinfo import ProtectedResource
from oidc.types import SessionSecret
from oidc.web.cookies.cookie import SecretCookie
from oidc.web.cookies.login_cookie import LoginCookies
from oidc.web.cors import CorsPolicy
from oidc.web.pages import Pages
from oidc.web.paths import paths_of
from oidc.web.services import Services

if TYPE_CHECKING:
    from oidc.keys.encryption import KeyCipher
    from oidc.login.views import Progress
    from oidc.settings import OidcSettings
    from oidc.storage.database import Database
    from oidc.types import Clock

_COOKIE_SLACK_S: Final = 3600
"""A cookie outlives its login by this long: a late browser still learns how it ended."""

_AUDIENCES: Final = ("/token", "/oauth/token", "/par", "/oauth/par")
"""Accepted as ``aud`` of a client assertion, beside the issuer."""


class ProviderParts:
    """The parts of one provider; shared parts are built once.

    The database must be migrated. Raises ``SigningKeyFault`` without a key encryption key.
    """

    def __init__(self, settings: OidcSettings, clock: Clock, database: Database) -> None:
        self._settings, self._clock, self._database = settings, clock, database
        self._issuer, self._base = settings.issuer, settings.base_url
        self.cipher: KeyCipher = load_cipher(
            settings.key_encryption_key, settings.key_encryption_key_file
        )
        self._keys = KeyRing(database, self.cipher, clock)
        self._rate_limits = ClientRateLimits(settings.client_limits)
        self._browser_logins = BrowserLogins(
            database, settings.limits, settings.lifetimes, clock
        )

    def services(self) -> Services:
        """Return what the routes share."""
        database, clock = self._database, self._clock
        return Services(
            settings=self._settings,
            paths=paths_of(self._settings),
            clock=clock,
            database=database,
            browser_logins=self._browser_logins,
            watch=self._watch(),
            rate_limits=self._rate_limits,
            token_endpoint=self._token_endpoint(),
            client_endpoints=self._client_endpoints(),
            userinfo=ProtectedResource(
                self._access_tokens, self._proofs, self._both_forms("userinfo")
            ),
            proofs=self._proofs,
            cors=CorsPolicy(database, clock),
            registrar=self._registrar(),
            error_log=ClientErrorLog(database, clock),
            keys=self._keys,
            pages=Pages(self._settings),
            cookies=self._cookies(),
            known_browser_cookie=self._known_browser_cookie(),
            session_cookie=self._session_cookie(),
            authorizer=self._authorizer(),
            logout=RpInitiatedLogout(database, self._keys, clock, self._issuer),
            logout_delivery=self._logout_delivery(),
        )

    @cached_property
    def _access_tokens(self) -> AccessTokens:
        return AccessTokens(self._database, self._keys, self._clock, self._issuer, self._base)

    @cached_property
    def _proofs(self) -> DpopProofs:
        nonces = DpopNonces(self.cipher.derive(b"thenar dpop nonce"))
        return DpopProofs(
            self._database, self._clock, nonces, need_nonce=self._settings.dpop_nonce
        )

    @cached_property
    def _authenticator(self) -> ClientAuthenticator:
        audiences = frozenset({self._issuer, *(self._base + path for path in _AUDIENCES)})
        return ClientAuthenticator(
            self._database, self._clock, audiences, self._issuer, self._settings.profile,
            self._rate_limits,
        )  # fmt: skip

    def _watch(self) -> LoginWatch[Progress]:
        return LoginWatch(
            self._browser_logins.progress_of,
            interval_s=self._settings.watch_interval_s,
            capacity=self._settings.stream_count,
            lasts_s=lambda state: (state.expires_at - self._clock()).total_seconds(),
        )

    def _token_endpoint(self) -> TokenEndpoint:
        issuer = Issuer(
            keys=self._keys,
            clock=self._clock,
            issuer=self._issuer,
            audience=self._base,
            lifetimes=self._settings.lifetimes,
            access_token_algorithm=self._settings.access_token_algorithm,
        )
        dpop_binding = DpopBinding(self._proofs, self._both_forms("token"))
        return TokenEndpoint(
            self._database, issuer, self._authenticator, dpop_binding, uri=f"{self._base}/token"
        )

    def _client_endpoints(self) -> ClientEndpoints:
        status = Introspection(self._database, self._access_tokens, self._clock, self._issuer)
        dpop_binding = DpopBinding(self._proofs, self._both_forms("par"))
        return ClientEndpoints(self._authenticator, status, dpop_binding)

    def _registrar(self) -> Registrar:
        hourly, profile = self._settings.registrations_hourly, self._settings.profile
        uri = f"{self._base}/register"
        return Registrar(self._database, self._clock, uri, hourly, profile)

    def _cookies(self) -> LoginCookies:
        limits = self._settings.limits
        total_s = limits.pending_s + limits.scanned_s + limits.verified_s + limits.approved_s
        total_s += limits.renewable_s + limits.code_s
        return LoginCookies(
            is_secure=self._settings.is_secure, lifetime_s=total_s + _COOKIE_SLACK_S
        )

    def _known_browser_cookie(self) -> SecretCookie[str]:
        """Return the cookie that recognises a browser without naming a person.

        With an account it tells that this browser finished a login before, so that a new one
        needs no confirmation code.
        """
        known_s = max(self._settings.known_browser_days * 86_400, _COOKIE_SLACK_S)
        return SecretCookie("thenar-browser", str, self._settings.is_secure, known_s)

    def _session_cookie(self) -> SecretCookie[SessionSecret]:
        """Return the cookie of a browser in which a palm need not be shown again."""
        session_s = self._settings.lifetimes.session_s
        return SecretCookie(
            "thenar-session", SessionSecret, self._settings.is_secure, session_s
        )

    def _authorizer(self) -> Authorizer:
        return Authorizer(
            self._database, self._browser_logins, self._keys, self._clock, self._issuer,
            self._settings.lifetimes,
            ScriptedSignIn(self._database, self._clock, self._settings.lifetimes),
        )  # fmt: skip

    def _logout_delivery(self) -> LogoutDelivery:
        post = LogoutHttpClient(allows_private_hosts=self._settings.allows_private_hosts)
        return LogoutDelivery(self._database, self._keys, self._clock, self._issuer, post)

    def _both_forms(self, endpoint: str) -> frozenset[str]:
        """Return both URLs of an endpoint (specification §4)."""
        return frozenset({f"{self._base}/{endpoint}", f"{self._base}/oauth/{endpoint}"})
