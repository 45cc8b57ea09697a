"""The browser's half of a login: it opens one, watches it, and collects the result.

Seeing the QR code is not owning the browser. The ticket is for the phone (``handoff``); only
the browser's own secret, kept in that login's cookie, shows the page, cancels or collects. The
code is minted when the browser collects, in the transaction that completes the login, and the
account ends there: what goes on is a grant for a pseudonym.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from oidc import codes, pseudonym, transitions
from oidc.errors import LoginGone, RequestRefused, WrongBrowser
from oidc.secrets import digest_of, is_identifier, new_identifier, new_secret
from oidc.storage.logins import Login
from oidc.types import (
    OPEN_STATES,
    AuthorizationRequest,
    BrowserSecret,
    Grant,
    GrantId,
    Hint,
    LoginId,
    LoginState,
    Ticket,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.storage.transactions import Stores, Transactions
    from oidc.types import AccountId, Clock, Lifetimes, Limits

_KEPT: Final = timedelta(hours=1)
"""How long a login that has ended can still tell its browser how."""

_REMEMBERED: Final = timedelta(days=1)
"""How much longer a grant is remembered than anything made from it."""


@dataclass(frozen=True, slots=True)
class OpenedLogin:
    """A new login: its name, and the secret that goes into the browser's cookie."""

    login_id: LoginId
    browser_secret: BrowserSecret = field(repr=False)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a login stands, as its browser may know it.

    Attributes:
        login_id: which.
        state: the state itself.
        hint: what happens next.
        expires_at: deadline of the next step, or when it ended; aware, UTC.
    """

    login_id: LoginId
    state: LoginState
    hint: Hint
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class View:
    """All that the consent page shows: request, progress, and the ticket to be scanned."""

    request: AuthorizationRequest
    progress: Progress
    ticket: Ticket = field(repr=False)


@dataclass(frozen=True, slots=True)
class CodeIssued:
    """The login succeeded: the code goes to the client, by the browser that began."""

    request: AuthorizationRequest
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoginRefused:
    """The login ended without a code: the client is told why."""

    request: AuthorizationRequest
    hint: Hint


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """Nothing to collect yet."""

    hint: Hint


Collected = CodeIssued | LoginRefused | StillWaiting
"""What a browser finds when it collects; matched exhaustively by its callers."""


class WaitingRoom:
    """The browser's half of every login. Blocking; safe in several threads and processes."""

    def __init__(
        self,
        transactions: Transactions,
        limits: Limits,
        lifetimes: Lifetimes,
        clock: Clock,
    ) -> None:
        self._transactions = transactions
        self._limits = limits
        self._lifetimes = lifetimes
        self._clock = clock

    def open_login(self, request: AuthorizationRequest) -> OpenedLogin:
        """Begin a login. A linked user is looked up now, before any QR code exists.

        Raises:
            RequestRefused: ``user_id`` is unknown, withdrawn, malformed or of another client
                (specification §4.6): one answer for all four.
        """
        now = self._clock()
        opened = OpenedLogin(LoginId(new_identifier()), BrowserSecret(new_secret()))
        with self._transactions.write() as stores:
            expected = _expected_account(stores, request)
            login = Login(
                login_id=opened.login_id,
                browser_digest=digest_of(opened.browser_secret),
                ticket_digest=digest_of(_ticket(opened.browser_secret)),
                request=replace(request, user_id=None),
                state=LoginState.PENDING,
                seq=0,
                attempts=0,
                expires_at=now + timedelta(seconds=self._limits.pending_s),
                expected_account=expected,
            )
            stores.logins.add(login)
        return opened

    def view(self, login_id: LoginId, browser_secret: BrowserSecret) -> View:
        """Return all that the consent page shows.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
        """
        with self._transactions.read() as stores:
            login = _owned(stores, login_id, browser_secret)
        now_login = transitions.at(login, self._clock())
        return View(login.request, _progress(now_login), _ticket(browser_secret))

    def watch(self, login_ids: Sequence[LoginId]) -> list[Progress]:
        """Return where these logins stand, by one query. For logins already viewed."""
        now = self._clock()
        with self._transactions.read() as stores:
            found = stores.logins.find_many(login_ids)
        return [_progress(transitions.at(login, now)) for login in found]

    def cancel(self, login_id: LoginId, browser_secret: BrowserSecret) -> LoginRefused:
        """Give up, unless the login has ended already; return what the client is told.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        while True:
            now = self._clock()
            with self._transactions.write() as stores:
                before = transitions.at(_owned(stores, login_id, browser_secret), now)
                after = transitions.cancelled(before, now)
                if after == before or stores.logins.move(before, after, now):
                    return _refused(after)

    def collect(self, login_id: LoginId, browser_secret: BrowserSecret) -> Collected:
        """Finish in the browser that began: mint the code, now and only now, once.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        now = self._clock()
        with self._transactions.write() as stores:
            login = transitions.at(_owned(stores, login_id, browser_secret), now)
            if login.state is LoginState.APPROVED:
                return self._complete(stores, login, now)
        if login.state in OPEN_STATES:
            return StillWaiting(transitions.hint_of(login))
        return _refused(login)

    def sweep(self) -> None:
        """End what is late, erasing its accounts, and delete what is long over."""
        now = self._clock()
        with self._transactions.write() as stores:
            stores.logins.expire(now)
            stores.logins.purge(now - _KEPT)
            stores.grants.purge(now)
            stores.replay.purge(now)
            stores.pushed.purge(now)
            stores.tokens.unseal(now)

    def _complete(self, stores: Stores, login: Login, now: datetime) -> Collected:
        if not stores.logins.move(login, transitions.completed(login, now), now):
            # Another tab of this browser was faster, or the account was deleted meanwhile.
            raise LoginGone
        grant = _grant(stores, login, now)
        expires_at = now + timedelta(seconds=self._lifetimes.code_s)
        keep_until = (
            expires_at + timedelta(seconds=self._lifetimes.refresh_token_s) + _REMEMBERED
        )
        code = codes.issue(
            stores, grant, login.request, expires_at=expires_at, keep_until=keep_until
        )
        return CodeIssued(login.request, code)


def _ticket(browser_secret: BrowserSecret) -> Ticket:
    """Derive the ticket from the browser's secret, one way.

    The page can show the same QR code again while the store keeps no ticket, only its digest.
    """
    mac = hmac.new(browser_secret.encode("utf-8", "surrogatepass"), b"ticket", hashlib.sha256)
    return Ticket(base64.urlsafe_b64encode(mac.digest()).rstrip(b"=").decode("ascii"))


def _expected_account(stores: Stores, request: AuthorizationRequest) -> AccountId | None:
    if request.user_id is None:
        return None
    account = pseudonym.account_of(stores, request.user_id, request.sector)
    if account is None:
        raise RequestRefused("invalid_request", "user_id is not a linked user of this client")
    return account


def _owned(stores: Stores, login_id: LoginId, browser_secret: BrowserSecret) -> Login:
    login = stores.logins.find(login_id) if is_identifier(login_id) else None
    if login is None or not hmac.compare_digest(
        login.browser_digest, digest_of(browser_secret)
    ):
        raise WrongBrowser
    return login


def _grant(stores: Stores, login: Login, now: datetime) -> Grant:
    """Turn the account of an approved login into a grant: the account ends here."""
    if login.account is None or login.auth_time is None:
        raise LoginGone
    request = login.request
    return Grant(
        grant_id=GrantId(new_identifier()),
        client_id=request.client_id,
        subject=pseudonym.subject_for(stores, login.account, request.sector, now),
        scope=request.scope,
        nonce=request.nonce,
        auth_time=login.auth_time,
        amr=login.amr,
    )


def _refused(login: Login) -> LoginRefused:
    if login.state is LoginState.COMPLETED:
        raise LoginGone(Hint.GO)
    return LoginRefused(login.request, transitions.hint_of(login))


def _progress(login: Login) -> Progress:
    return Progress(login.login_id, login.state, transitions.hint_of(login), login.expires_at)
