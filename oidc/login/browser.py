"""The browser's half of a login: it opens one, watches it, and collects the result.

Seeing the QR code is not owning the browser. The ticket is for the phone (``handoff``); only
the browser's own secret, kept in that login's cookie, shows the page, cancels or collects. The
code is minted when the browser collects, in the transaction that completes the login, and the
account ends there: what goes on is a grant for a pseudonym.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oidc.accounts import sessions
from oidc.errors import AuthorizationRefused, LoginGone
from oidc.login import create, issue_code, known_browsers, state_machine
from oidc.login.tickets import chain_of
from oidc.login.views import (
    UNKNOWN_VISITOR,
    CodeIssued,
    LoginRefused,
    LoginView,
    Progress,
    StillWaiting,
)
from oidc.types import OPEN_STATES, Authenticated, LoginState, NextStep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.login.views import Collected, CreatedLogin, Visitor
    from oidc.storage.logins import Login
    from oidc.storage.transactions import Stores, Transactions
    from oidc.types import (
        AccountId,
        AuthorizationRequest,
        BrowserSecret,
        Clock,
        Lifetimes,
        LoginId,
        LoginLimits,
        SessionSecret,
    )


class BrowserLogins:
    """The browser's half of every login. Blocking; safe in several threads and processes."""

    def __init__(
        self,
        transactions: Transactions,
        limits: LoginLimits,
        lifetimes: Lifetimes,
        clock: Clock,
    ) -> None:
        self._transactions = transactions
        self._limits = limits
        self._lifetimes = lifetimes
        self._clock = clock

    def create_login(
        self,
        request: AuthorizationRequest,
        visitor: Visitor = UNKNOWN_VISITOR,
        hinted: AccountId | None = None,
    ) -> CreatedLogin:
        """Begin a login. A linked user is looked up now, before any QR code exists.

        Logins of the same client that this browser began before and did not get approved are
        superseded: a forgotten tab must not block the next one.

        Raises:
            AuthorizationRefused: ``user_id`` is unknown, withdrawn, malformed or of another client
                (specification §4.6): one answer for all four; or the client hinted at two
                persons.
        """
        now = self._clock()
        with self._transactions.write() as stores:
            expected = create.expected_account(stores, request) or hinted
            if hinted not in (None, expected):
                raise AuthorizationRefused(
                    "login_required", "two different persons are asked for"
                )
            if not create.is_known(stores, expected, request.sector):
                raise AuthorizationRefused(
                    "login_required", "the person who is meant is not known"
                )
            opened = create.create_login(stores, request, visitor, expected, self._limits, now)
            create.supersede(stores, request, visitor, now)
        return opened

    def renew(
        self, login_id: LoginId, browser_secret: BrowserSecret
    ) -> Collected | CreatedLogin:
        """Show another code for a login whose time ran out before anybody scanned it.

        The new login has another secret; the old one, and every picture of its code, is dead.
        Where that is not possible, return what ``collect`` would.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        now = self._clock()
        with self._transactions.write() as stores:
            kept = create.require_owned(stores, login_id, browser_secret)
            late = state_machine.with_expiry(kept, now)
            is_renewable = state_machine.is_renewable(late, now, self._limits)
            sector = kept.request.sector
            if is_renewable and create.is_known(stores, kept.expected_account, sector):
                ended = replace(late, state=LoginState.SUPERSEDED)
                if stores.logins.retire(kept, ended):
                    return create.recreate_login(stores, kept, self._limits, now)
        return self.collect(login_id, browser_secret)

    def view(self, login_id: LoginId, browser_secret: BrowserSecret) -> LoginView:
        """Return all that the consent page shows.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
        """
        with self._transactions.read() as stores:
            login = create.require_owned(stores, login_id, browser_secret)
        now = self._clock()
        now_login = state_machine.with_expiry(login, now)
        return LoginView(
            request=login.request,
            progress=self._progress(now_login, now),
            tickets=chain_of(login_id, browser_secret, self._limits),
            opened_at=login.opened_at,
            tries_left=self._limits.code_tries - login.code_attempts,
        )

    def watch(self, login_ids: Sequence[LoginId]) -> list[Progress]:
        """Return where these logins stand, by one query. For logins already viewed."""
        now = self._clock()
        with self._transactions.read() as stores:
            found = stores.logins.find_many(login_ids)
        return [self._progress(state_machine.with_expiry(login, now), now) for login in found]

    def cancel(self, login_id: LoginId, browser_secret: BrowserSecret) -> LoginRefused:
        """Give up, unless the login has ended already; return what the client is told.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        while True:
            now = self._clock()
            with self._transactions.write() as stores:
                before = state_machine.with_expiry(
                    create.require_owned(stores, login_id, browser_secret), now
                )
                after = state_machine.cancelled(before, now)
                if after == before or stores.logins.move(before, after, now):
                    return _refused(after)

    def collect(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        session_secret: SessionSecret | None = None,
    ) -> Collected:
        """Finish in the browser that began: mint the code, now and only now, once.

        Args:
            login_id: which login.
            browser_secret: from the cookie of that login.
            session_secret: from the browser's session cookie, if it has one.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        now = self._clock()
        with self._transactions.write() as stores:
            login = state_machine.with_expiry(
                create.require_owned(stores, login_id, browser_secret), now
            )
            if login.state is LoginState.APPROVED and login.confirmation_code is None:
                return self._complete(stores, login, session_secret, now)
        if login.state in OPEN_STATES:
            return StillWaiting(state_machine.next_step_of(login))
        return _refused(login)

    def confirm(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        typed: str,
        session_secret: SessionSecret | None = None,
    ) -> Collected:
        """Take the code that the phone shows; the right one finishes the login at once.

        Args:
            login_id: which login.
            browser_secret: from the cookie of that login.
            typed: what the person typed.
            session_secret: from the browser's session cookie, if it has one.

        Raises:
            WrongBrowser: unknown login, or not the browser that began it.
            LoginGone: the code was collected before.
        """
        while True:
            now = self._clock()
            with self._transactions.write() as stores:
                before = state_machine.with_expiry(
                    create.require_owned(stores, login_id, browser_secret), now
                )
                if before.state is not LoginState.APPROVED or before.confirmation_code is None:
                    break
                after = state_machine.confirmed(before, typed, now, self._limits)
                if state_machine.next_step_of(after) is NextStep.GO:
                    return self._complete(stores, before, session_secret, now)
                if stores.logins.move(before, after, now):
                    break
        return self.collect(login_id, browser_secret, session_secret)

    def _complete(
        self, stores: Stores, login: Login, present: SessionSecret | None, now: datetime
    ) -> Collected:
        """Mint the code, then move the login: pseudonyms are locked before logins, everywhere.

        If the login has moved, the transaction is rolled back with all that was minted.
        """
        request, person = login.request, _person(login)
        issue_code.record_consent(stores, request, person.account, now)
        begun = sessions.start(
            stores, person, present, lifetime_s=self._lifetimes.session_s, now=now
        )
        granted = issue_code.issue(
            stores, request, person, begun.session_id, self._lifetimes, now
        )
        lifetime_s = self._limits.known_browser_s
        known_browsers.add(stores, login.browser_mark, person.account, now, lifetime_s)
        if not stores.logins.move(
            login, state_machine.completed(login, now, granted.grant_id), now
        ):
            # Another tab of this browser was faster, or the account was deleted meanwhile.
            raise LoginGone
        return CodeIssued(request, granted.code, begun.secret)

    def _progress(self, login: Login, now: datetime) -> Progress:
        return Progress(
            login.login_id,
            login.state,
            state_machine.next_step_of(login),
            login.expires_at,
            is_renewable=state_machine.is_renewable(login, now, self._limits),
        )


def _person(login: Login) -> Authenticated:
    """Return whose palm approved a login."""
    if login.account is None or login.auth_time is None:
        raise LoginGone
    return Authenticated(login.account, login.auth_time, login.amr)


def _refused(login: Login) -> LoginRefused:
    if login.state is LoginState.COMPLETED:
        raise LoginGone(NextStep.GO)
    return LoginRefused(login.request, state_machine.next_step_of(login))
