"""Every part of the provider, from the settings. The only module that knows every class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from oidc.authorization.sign_on import Entrance
from oidc.clients.error_log import ErrorNotes
from oidc.clients.rate_limits import Quotas
from oidc.clients.registration import Registrar
from oidc.keys.encryption import load_cipher
from oidc.keys.keyring import KeyRing
from oidc.login.browser import WaitingRoom
from oidc.logout.delivery import LogoutDelivery
from oidc.logout.http_client import LogoutPost
from oidc.logout.rp_initiated import Logout
from oidc.token_endpoint.authentication import ClientAuthenticator
from oidc.token_endpoint.client_endpoints import ClientCalls
from oidc.token_endpoint.dpop_binding import Possession
from oidc.token_endpoint.endpoint import TokenEndpoint
from oidc.token_endpoint.issuing import Issuer
from oidc.tokens.access import AccessTokens
from oidc.tokens.dpop import Nonces, Proofs
from oidc.tokens.introspection import TokenStatus
from oidc.tokens.userinfo import Resource
from oidc.web.cookies import LoginCookies
from oidc.web.cors import CorsPolicy
from oidc.web.known_browser import KnownBrowserCookie
from oidc.web.login_events import LoginWatch
from oidc.web.pages import Pages
from oidc.web.paths import paths_of
from oidc.web.services import Services
from oidc.web.session_cookie import SessionCookie

if TYPE_CHECKING:
    from oidc.keys.encryption import KeyCipher
    from oidc.settings import OidcSettings
    from oidc.storage.sql.database import Database
    from oidc.types import Clock

_COOKIE_SLACK_S: Final = 3600
"""How much longer a cookie lives than its login: a late browser still learns how it ended."""

_AUDIENCES: Final = ("/token", "/oauth/token", "/par", "/oauth/par")
"""Where a client may say that its assertion is meant for, beside the issuer."""


class Wiring:
    """The parts of one provider. What several of them share is built once.

    Args:
        settings: of the provider.
        clock: what time it is.
        database: migrated.

    Raises:
        KeyFault: there is no key encryption key.
    """

    def __init__(self, settings: OidcSettings, clock: Clock, database: Database) -> None:
        self._settings, self._clock, self._database = settings, clock, database
        self._issuer, self._base = settings.issuer, settings.base_url
        self.cipher: KeyCipher = load_cipher(
            settings.key_encryption_key, settings.key_encryption_key_file
        )
        self._keys = KeyRing(database, self.cipher, clock)
        self._quotas = Quotas(settings.client_limits)
        self._waiting = WaitingRoom(database, settings.limits, settings.lifetimes, clock)

    def services(self) -> Services:
        """Return what the routes share."""
        database, clock = self._database, self._clock
        return Services(
            settings=self._settings,
            paths=paths_of(self._settings),
            clock=clock,
            transactions=database,
            waiting=self._waiting,
            watch=self._watch(),
            quotas=self._quotas,
            token_endpoint=self._token_endpoint(),
            client_calls=self._client_calls(),
            userinfo=Resource(self._access_tokens, self._proofs, self._both_forms("userinfo")),
            proofs=self._proofs,
            cors=CorsPolicy(database, clock),
            registrar=self._registrar(),
            error_notes=ErrorNotes(database, clock),
            keys=self._keys,
            pages=Pages(self._settings),
            cookies=self._cookies(),
            known_browser_cookie=self._known_browser_cookie(),
            session_cookie=self._session_cookie(),
            entrance=self._entrance(),
            logout=Logout(database, self._keys, clock, self._issuer),
            logout_delivery=self._logout_delivery(),
        )

    @cached_property
    def _access_tokens(self) -> AccessTokens:
        return AccessTokens(self._database, self._keys, self._clock, self._issuer, self._base)

    @cached_property
    def _proofs(self) -> Proofs:
        nonces = Nonces(self.cipher.derive(b"thenar dpop nonce"))
        return Proofs(self._database, self._clock, nonces, need_nonce=self._settings.dpop_nonce)

    @cached_property
    def _authenticator(self) -> ClientAuthenticator:
        audiences = frozenset({self._issuer, *(self._base + path for path in _AUDIENCES)})
        return ClientAuthenticator(
            self._database, self._clock, audiences, self._issuer, self._settings.profile,
            self._quotas,
        )  # fmt: skip

    def _watch(self) -> LoginWatch:
        return LoginWatch(
            self._waiting.watch,
            self._clock,
            interval_s=self._settings.watch_interval_s,
            capacity=self._settings.stream_count,
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
        possession = Possession(self._proofs, self._both_forms("token"))
        return TokenEndpoint(
            self._database, issuer, self._authenticator, possession, uri=f"{self._base}/token"
        )

    def _client_calls(self) -> ClientCalls:
        status = TokenStatus(self._database, self._access_tokens, self._clock, self._issuer)
        possession = Possession(self._proofs, self._both_forms("par"))
        return ClientCalls(self._authenticator, status, possession)

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

    def _known_browser_cookie(self) -> KnownBrowserCookie:
        known_s = self._settings.known_browser_days * 86_400
        return KnownBrowserCookie(
            is_secure=self._settings.is_secure, lifetime_s=max(known_s, _COOKIE_SLACK_S)
        )

    def _session_cookie(self) -> SessionCookie:
        return SessionCookie(
            is_secure=self._settings.is_secure, lifetime_s=self._settings.lifetimes.session_s
        )

    def _entrance(self) -> Entrance:
        return Entrance(
            self._database, self._waiting, self._keys, self._clock, self._issuer,
            self._settings.lifetimes,
        )  # fmt: skip

    def _logout_delivery(self) -> LogoutDelivery:
        post = LogoutPost(reaches_private=self._settings.reaches_private)
        return LogoutDelivery(self._database, self._keys, self._clock, self._issuer, post)

    def _both_forms(self, endpoint: str) -> frozenset[str]:
        """Return both addresses of an endpoint (specification §4)."""
        return frozenset({f"{self._base}/{endpoint}", f"{self._base}/oauth/{endpoint}"})
