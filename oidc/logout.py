"""Logout: requested by clients or people, and sent to clients.

RP-Initiated Logout 1.0: an ID token of the browser's session, or of its person, suffices.
Otherwise the person confirms on our page, with a proof only that page has: no website can sign
anybody out. Without a session an ID token ends only what its client was given, after
confirmation. The browser must be one where its person has signed in before, or the station of
its sign-in: a leaked token ends nothing. Redirects go to registered URIs, compared exactly,
after a valid hint or confirmation. Grants with ``offline_access`` outlive the session
(Back-Channel Logout 1.0 §2.7).

Back-Channel Logout 1.0 §2.4, §2.5, §2.8: the session's end enqueues notices
(``accounts.logout_outbox``), which are delivered, retried, then given up. One process claims a
notice for a while; if it dies, another delivers it. Logout tokens are made at delivery, so that
they are young; they hold the client's own ``sub`` and ``sid`` only.
"""

import base64
import hashlib
import hmac
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event, Lock
from typing import Final
from urllib.parse import quote, urlencode

from oidc.accounts import known_browsers, logout_outbox, pseudonym, sessions
from oidc.client import Client
from oidc.clients import error_log, registry
from oidc.errors import DeliveryFailed, LogoutRefused
from oidc.keys import SigningKeys
from oidc.plumbing.public_http import PublicHttpClient
from oidc.protocol import Parameters, digest_of, new_secret
from oidc.storage.database import Database, Stores
from oidc.storage.stores.sessions import BrowserSession, LogoutNotice
from oidc.tokens.claims import IdTokenHint, Validity, read_hint
from oidc.types import Clock, Grant, SessionId, SessionSecret

STATE_LENGTH: Final = 2000
"""The standard sets no limit, a redirect does."""


@dataclass(frozen=True, slots=True)
class LogoutRequest:
    """A checked logout request; ``return_uri`` is registered exactly."""

    client: Client | None
    hint: IdTokenHint | None
    return_uri: str | None
    state: str | None = field(repr=False)

    @property
    def return_address(self) -> str | None:
        """Where the browser goes afterwards. RP-Initiated Logout 1.0 §2.1."""
        if self.return_uri is None or self.state is None:
            return self.return_uri
        separator = "&" if "?" in self.return_uri else "?"
        return self.return_uri + separator + urlencode({"state": self.state}, quote_via=quote)


@dataclass(frozen=True, slots=True)
class SignedOut:
    """``returns``: redirect the browser at once."""

    request: LogoutRequest
    returns: bool


@dataclass(frozen=True, slots=True)
class ConfirmationNeeded:
    """``proof`` is for the page alone.

    Attributes:
        proof: of the browser's session; empty without one, where its cookie is the proof.
        id_token: the hint, where it decides what ends; None: the browser's session ends.
    """

    request: LogoutRequest
    proof: str = field(default="", repr=False)
    id_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RpInitiatedLogout:
    """Signs people out. Blocking."""

    database: Database
    keys: SigningKeys
    clock: Clock
    issuer: str

    def begin(
        self, parameters: Parameters, secret: SessionSecret | None
    ) -> SignedOut | ConfirmationNeeded:
        """Sign out if proven; otherwise require confirmation. Raises ``LogoutRefused``."""
        now = self.clock()
        with self.database.write() as stores:
            request = self._read(stores, parameters)
            live = sessions.find(stores, secret, now)
            if live is None and _given_in_session(stores, request):
                id_token = parameters.get("id_token_hint")
                return ConfirmationNeeded(request, id_token=id_token)
            if live is not None and not _names_session(stores, live, request):
                return ConfirmationNeeded(request, _proof_for(secret))
            if live is not None:
                end_session(stores, live.session_id, now)
        return SignedOut(request, returns=request.hint is not None)

    def confirm(
        self,
        parameters: Parameters,
        secret: SessionSecret | None,
        mark: str | None,
        station: str | None = None,
    ) -> SignedOut:
        """Sign out after confirmation on our page. Raises ``LogoutRefused``.

        ``mark``, ``station``: this browser's, which no form of another website brings along.
        """
        now, proof = self.clock(), parameters.get("proof") or ""
        with self.database.write() as stores:
            request = self._read(stores, parameters)
            live = sessions.find(stores, secret, now)
            expected = "" if live is None else _proof_for(secret)
            if not hmac.compare_digest(expected.encode(), proof.encode()):
                raise LogoutRefused("the page is out of date")
            if live is not None:
                end_session(stores, live.session_id, now)
            else:
                given = _given_in_session(stores, request)
                if _is_known(stores, request, mark, now) or _began_at(station, given):
                    _end_grants(stores, given, now)
        return SignedOut(request, returns=True)

    def _read(self, stores: Stores, parameters: Parameters) -> LogoutRequest:
        if parameters.repeated:
            raise LogoutRefused("a parameter was sent twice")
        if len(parameters.state or "") > STATE_LENGTH:
            raise LogoutRefused("the state is too long")
        hint = read_hint(self.keys, self.issuer, parameters.get("id_token_hint"))
        client = _client_of(stores, parameters.get("client_id"), hint)
        return_uri = parameters.get("post_logout_redirect_uri")
        if client is None:
            # Without a client no URI can be registered.
            return_uri = None
        elif return_uri not in (None, *client.post_logout_redirect_uris):
            raise LogoutRefused("the post_logout_redirect_uri is not registered")
        return LogoutRequest(client, hint, return_uri, parameters.state)


def _client_of(
    stores: Stores, client_id: str | None, hint: IdTokenHint | None
) -> Client | None:
    """Return the client; both names must agree. §2."""
    if hint is not None and client_id not in (None, hint.client_id):
        raise LogoutRefused("the ID token was made for another app")
    named = client_id if hint is None else hint.client_id
    if named is None:
        return None
    client = registry.find(stores, named)
    if client is None:
        raise LogoutRefused("the app is not registered")
    return client


def _names_session(stores: Stores, live: BrowserSession, request: LogoutRequest) -> bool:
    """Return whether the hint is of this session, or of its person if without ``sid``.

    Otherwise an old ID token from a log would sign its person out (§2).
    """
    if request.hint is None or request.client is None:
        return False
    if request.hint.sid is not None:
        hinted = stores.grants.session_of(request.client.client_id, request.hint.sid)
        return hinted == live.session_id
    account = pseudonym.account_of(stores, request.hint.subject, request.client.sector)
    return account == live.account


def _is_known(stores: Stores, request: LogoutRequest, mark: str | None, now: datetime) -> bool:
    """Return whether the hint's person has signed in in this browser."""
    if request.hint is None or request.client is None or mark is None:
        return False
    account = pseudonym.account_of(stores, request.hint.subject, request.client.sector)
    return account is not None and known_browsers.is_known(
        stores, digest_of(mark), account, now
    )


def _began_at(station: str | None, given: Sequence[Grant]) -> bool:
    """Return whether these grants were made at the station that this browser is."""
    began = [each.session_id for each in given if each.session_id is not None]
    if not station or not began:
        return False
    return sessions.began_at(began[0], station)


def _end_grants(stores: Stores, given: Sequence[Grant], now: datetime) -> None:
    for grant in given:
        stores.grants.revoke(grant.grant_id, now)
    logout_outbox.enqueue(stores, given, now)


def _given_in_session(stores: Stores, request: LogoutRequest) -> list[Grant]:
    """Return the grants of the hint's client in the hint's session that a logout ends."""
    if request.hint is None or request.hint.sid is None:
        return []
    hinted = stores.grants.session_of(request.hint.client_id, request.hint.sid)
    return [
        grant
        for grant in ([] if hinted is None else stores.grants.of_session(hinted))
        if grant.client_id == request.hint.client_id
        and "offline_access" not in grant.scope
        and stores.grants.find(grant.grant_id) is not None
    ]


def end_session(stores: Stores, session_id: SessionId, now: datetime) -> None:
    """End a session, its tokens, and notify its clients."""
    _end(stores, session_id, now, spares_offline=True)


def end_reported_logins(stores: Stores, granted: Sequence[Grant], now: datetime) -> None:
    """End the sessions of logins that another person approved, with all grants.

    In one order, so that concurrent calls cannot deadlock.
    """
    for session_id in sorted({each.session_id for each in granted if each.session_id}):
        _end(stores, session_id, now, spares_offline=False)
    for grant in sorted(granted, key=lambda each: each.grant_id):
        stores.grants.revoke(grant.grant_id, now)


def _end(stores: Stores, session_id: SessionId, now: datetime, *, spares_offline: bool) -> None:
    """End a session. Grants are locked before sessions.

    The second pass finds what was granted while this waited for the session.
    """
    _revoke(stores, session_id, now, spares_offline=spares_offline)
    stores.sessions.remove(session_id)
    granted = _revoke(stores, session_id, now, spares_offline=spares_offline)
    logout_outbox.enqueue(stores, granted, now)


def _revoke(
    stores: Stores, session_id: SessionId, now: datetime, *, spares_offline: bool
) -> list[Grant]:
    granted = stores.grants.of_session(session_id)
    for grant in granted:
        if not (spares_offline and "offline_access" in grant.scope):
            stores.grants.revoke(grant.grant_id, now)
    return granted


def _proof_for(secret: SessionSecret | None) -> str:
    """Return the proof of a live session's page."""
    key = (secret or "").encode("utf-8", "surrogatepass")
    mac = hmac.new(key, b"sign out", hashlib.sha256)
    return base64.urlsafe_b64encode(mac.digest()).rstrip(b"=").decode("ascii")


EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"

TYPE: Final = "logout+jwt"

LIFETIME: Final = timedelta(minutes=2)
"""Back-Channel Logout 1.0 §4 recommends two minutes at most."""


def logout_token_claims(
    notice: LogoutNotice, *, issuer: str, now: datetime
) -> dict[str, object]:
    """Return the claims of a logout token. There is never a nonce (§2.4)."""
    session = {} if notice.sid is None else {"sid": notice.sid}
    times = Validity(now, int(LIFETIME.total_seconds())).claims()
    return {
        "iss": issuer,
        "sub": notice.subject,
        "aud": notice.client_id,
        "iat": times["iat"],
        "exp": times["exp"],
        "jti": new_secret(),
        "events": {EVENT: {}},
        **session,
    }


_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
_DELIVERED: Final = (200, 204)
"""Back-Channel Logout 1.0 §2.8; some libraries answer 204."""


class LogoutHttpClient(PublicHttpClient):
    """Posts to clients. Blocking."""

    __slots__ = ()

    def __call__(self, address: str, logout_token: str) -> None:
        """Post the token. Raises ``DeliveryFailed``."""
        form = urlencode({"logout_token": logout_token}).encode()
        status = self.post(address, form, _FORM)
        if status not in _DELIVERED:
            raise DeliveryFailed(f"the response status was {status}")


LOGGER: Final = logging.getLogger(__name__)

Post = Callable[[str, str], None]
"""Posts a logout token to a URL; raises ``DeliveryFailed``."""

CLAIM_LIFETIME: Final = timedelta(seconds=60)
"""How long a notice is claimed: longer than any delivery takes."""

RETRIES: Final = tuple(timedelta(seconds=pause) for pause in (10, 60, 300, 1800, 7200))
"""Pauses after failed attempts; the last attempt follows the last pause."""

_PARALLEL: Final = 8


@dataclass(frozen=True, slots=True)
class LogoutDelivery:
    """Empties the outbox. Blocking; safe in several threads and processes."""

    database: Database
    keys: SigningKeys
    clock: Clock
    issuer: str
    post: Post
    stopping: Event = field(default_factory=Event)
    running: Lock = field(default_factory=Lock)

    def deliver(self) -> int:
        """Deliver what is due, unless a thread does; return how many notices were tried."""
        if not self.running.acquire(blocking=False):
            return 0
        tried = 0
        try:
            with ThreadPoolExecutor(_PARALLEL, "logout") as pool:
                while not self.stopping.is_set() and (claimed := self._claim()):
                    tried += len(list(pool.map(self._deliver, claimed)))
        finally:
            self.running.release()
        return tried

    def _claim(self) -> list[LogoutNotice]:
        now = self.clock()
        with self.database.write() as stores:
            return stores.logouts.claim(now, now + CLAIM_LIFETIME, count=_PARALLEL)

    def _deliver(self, notice: LogoutNotice) -> None:
        with self.database.read() as stores:
            client = stores.clients.find(notice.client_id)
        if client is None or client.backchannel_logout_uri is None:
            self._remove(notice)
            return
        try:
            self.post(client.backchannel_logout_uri, self._token(client, notice))
        except DeliveryFailed as fault:
            self._try_again(notice, fault)
        else:
            self._remove(notice)

    def _token(self, client: Client, notice: LogoutNotice) -> str:
        claims = logout_token_claims(notice, issuer=self.issuer, now=self.clock())
        return self.keys.sign(claims, typ=TYPE, algorithm=client.id_token_algorithm)

    def _try_again(self, notice: LogoutNotice, fault: DeliveryFailed) -> None:
        now, is_last = self.clock(), notice.attempts > len(RETRIES)
        with self.database.write() as stores:
            error = ("delivery_failed", str(fault))
            error_log.record_error(stores, notice.client_id, "logout", error, now)
            if is_last:
                stores.logouts.remove(notice.notice_id)
            else:
                stores.logouts.postpone(notice, now + RETRIES[notice.attempts - 1])
            stores.logouts.delay_client(notice.client_id, now + RETRIES[0])
        if is_last:
            LOGGER.warning(
                "client %s was not notified of a logout: %s", notice.client_id, fault
            )

    def _remove(self, notice: LogoutNotice) -> None:
        with self.database.write() as stores:
            stores.logouts.remove(notice.notice_id)
