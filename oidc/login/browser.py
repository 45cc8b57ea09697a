"""The browser's half of a login: creates it, watches it, collects the code.

Only the browser's secret, in that login's cookie, shows the page, cancels or collects: seeing
the QR code is not enough. The code is issued in the transaction that completes the login.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from oidc.accounts import consents, known_browsers, sessions
from oidc.client import AuthorizationRequest
from oidc.errors import AuthorizationRefused, LoginGone
from oidc.login import create, issue_code, state_machine
from oidc.login.tickets import chain_of, code_of
from oidc.login.views import (
    UNKNOWN_VISITOR,
    CodeIssued,
    Collected,
    CreatedLogin,
    LoginRefused,
    LoginView,
    Progress,
    StillWaiting,
    Visitor,
)
from oidc.protocol import digest_of
from oidc.storage.database import Database, Stores
from oidc.storage.stores.logins import Login
from oidc.storage.stores.sessions import SignInRecord
from oidc.types import (
    OPEN_STATES,
    AccountId,
    Authenticated,
    BrowserSecret,
    Clock,
    Grant,
    Lifetimes,
    LoginId,
    LoginLimits,
    LoginState,
    NextStep,
    SessionSecret,
)


class BrowserLogins:
    """The browser's half of every login. Blocking; safe in several threads and processes.

    Methods raise ``WrongBrowser`` if the login is unknown or another browser's, ``LoginGone``
    once the code was used or has expired.
    """

    def __init__(
        self, database: Database, limits: LoginLimits, lifetimes: Lifetimes, clock: Clock
    ) -> None:
        self._database = database
        self._limits = limits
        self._lifetimes = lifetimes
        self._clock = clock
        self._seen: dict[LoginId, Login] = {}

    def create_login(
        self,
        request: AuthorizationRequest,
        visitor: Visitor = UNKNOWN_VISITOR,
        hinted: AccountId | None = None,
    ) -> CreatedLogin:
        """Create a login; a linked user is looked up before any QR code exists.

        Supersedes this browser's unapproved logins at the client: a forgotten tab must not
        block the next. Raises ``AuthorizationRefused``, alike for every invalid ``user_id``
        (specification §4.6).
        """
        now = self._clock()
        with self._database.write() as stores:
            expected = create.expected_account(stores, request) or hinted
            if hinted not in (None, expected):
                raise AuthorizationRefused("the request names two people", "login_required")
            if not create.is_known(stores, expected, request.sector):
                raise AuthorizationRefused("the expected person is not known", "login_required")
            created = create.create_login(stores, request, visitor, expected, self._limits, now)
            create.supersede(stores, request, visitor, now)
        return created

    def renew(
        self, login_id: LoginId, browser_secret: BrowserSecret
    ) -> Collected | CreatedLogin:
        """Replace a login that expired unclaimed; otherwise do what ``collect`` does.

        New secrets: every picture of the old code is dead.
        """
        now = self._clock()
        with self._database.write() as stores:
            stored = create.require_owned(stores, login_id, browser_secret)
            late = state_machine.with_expiry(stored, now)
            is_renewable = state_machine.is_renewable(late, now, self._limits)
            sector = stored.request.sector
            if is_renewable and create.is_known(stores, stored.expected_account, sector):
                ended = replace(late, state=LoginState.SUPERSEDED)
                if stores.logins.retire(stored, ended):
                    return create.recreate_login(stores, stored, self._limits, now)
        return self.collect(login_id, browser_secret)

    def view(self, login_id: LoginId, browser_secret: BrowserSecret) -> LoginView:
        """Return all that the consent page shows."""
        with self._database.read() as stores:
            login = create.require_owned(stores, login_id, browser_secret)
        now = self._clock()
        now_login = state_machine.with_expiry(login, now)
        return LoginView(
            request=login.request,
            progress=self._progress(now_login, now),
            tickets=chain_of(login_id, browser_secret, self._limits),
            opened_at=login.opened_at,
            at_station=state_machine.may_be_at_station(login),
            verifies=login.expected_account is not None,
        )

    def progress_of(self, login_ids: Sequence[LoginId]) -> dict[LoginId, Progress]:
        """Return the progress of logins already viewed; reads those that changed since."""
        now = self._clock()
        with self._database.read() as stores:
            numbers = stores.logins.sequence_numbers(login_ids)
            seen = {
                key: kept for key, kept in self._seen.items() if numbers.get(key) == kept.seq
            }
            if new := [key for key in numbers if key not in seen]:
                seen |= {each.login_id: each for each in stores.logins.find_many(new)}
        self._seen = seen
        return {
            key: self._progress(state_machine.with_expiry(each, now), now)
            for key, each in seen.items()
        }

    def cancel(self, login_id: LoginId, browser_secret: BrowserSecret) -> LoginRefused:
        """Cancel, unless ended; return the client's error."""
        while True:
            now = self._clock()
            with self._database.write() as stores:
                before = state_machine.with_expiry(
                    create.require_owned(stores, login_id, browser_secret), now
                )
                after = state_machine.cancelled(before, now)
                if stores.logins.move(before, after, now):
                    return _refused(after)

    def collect(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        session_secret: SessionSecret | None = None,
        station: str | None = None,
    ) -> Collected:
        """Issue the code, always the same, in the browser that began.

        ``station``: a station's cookie.
        """
        with suppress(LoginGone):  # another tab may have been faster: its code is given again
            return self._collect(login_id, browser_secret, session_secret, station)
        return self._collect(login_id, browser_secret, session_secret, station)

    def _collect(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        session_secret: SessionSecret | None,
        station: str | None,
    ) -> Collected:
        now = self._clock()
        with self._database.write() as stores:
            login = state_machine.with_expiry(
                create.require_owned(stores, login_id, browser_secret), now
            )
            code = code_of(login_id, browser_secret)
            if login.state is LoginState.APPROVED and login.confirmation_code is None:
                return self._complete(stores, login, code, session_secret, now, station)
            if login.state is LoginState.COMPLETED:
                return _again(stores, login, code, now)
        if login.state in OPEN_STATES:
            return StillWaiting()
        return _refused(login)

    def confirm(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        typed: str,
        session_secret: SessionSecret | None = None,
    ) -> Collected:
        """Check the confirmation code; the right one finishes the login."""
        with suppress(LoginGone):  # another tab may have been faster
            return self._confirm(login_id, browser_secret, typed, session_secret)
        return self.collect(login_id, browser_secret, session_secret)

    def _confirm(
        self,
        login_id: LoginId,
        browser_secret: BrowserSecret,
        typed: str,
        session_secret: SessionSecret | None,
    ) -> Collected:
        while True:
            now = self._clock()
            with self._database.write() as stores:
                before = state_machine.with_expiry(
                    create.require_owned(stores, login_id, browser_secret), now
                )
                if before.state is not LoginState.APPROVED or before.confirmation_code is None:
                    break
                after = state_machine.confirmed(before, typed, now, self._limits)
                if state_machine.next_step_of(after) is NextStep.GO:
                    code = code_of(login_id, browser_secret)
                    return self._complete(stores, before, code, session_secret, now)
                if stores.logins.move(before, after, now):
                    break
        return self.collect(login_id, browser_secret, session_secret)

    def _complete(
        self,
        stores: Stores,
        login: Login,
        code: str,
        present: SessionSecret | None,
        now: datetime,
        station: str | None = None,
    ) -> Collected:
        """Issue the code, then move the login: pseudonyms are locked before logins.

        If it has moved, all is rolled back.
        """
        if not issue_code.spend_reference(stores, login.request):
            ended = state_machine.outrun(login, now)
            if not stores.logins.move(login, ended, now):
                raise LoginGone  # this one was: another tab was faster
            return _refused(ended)
        request, person = replace(login.request, reference=None), _person(login)
        # The next person at a station is another one: its browser remembers no account.
        is_station = login.station is not None
        session_s = 0 if is_station else self._lifetimes.session_s
        begun = sessions.start(
            stores,
            person,
            present,
            lifetime_s=session_s,
            station=station if is_station else None,
            now=now,
        )
        grant = issue_code.issue(
            stores, code, request, person, begun.session_id, self._lifetimes, now
        )
        consents.record(stores, grant.subject, request, now)
        lifetime_s = 0 if is_station else self._limits.known_browser_s
        known_browsers.add(stores, login.browser_mark, person.account, now, lifetime_s)
        stores.sign_ins.add(_sign_in(login, grant, now))
        after = state_machine.completed(login, now, grant.grant_id)
        if not stores.logins.move(login, after, now):
            # Another tab was faster, or the account was deleted meanwhile.
            raise LoginGone
        return CodeIssued(request, code, begun.secret)

    def _progress(self, login: Login, now: datetime) -> Progress:
        hint = state_machine.next_step_of(login)
        limits = self._limits
        left = {
            NextStep.PALM_RETRY: limits.attempts - login.attempts,
            NextStep.CODE_RETRY: limits.code_tries - login.code_attempts,
        }
        return Progress(
            login.login_id,
            login.state,
            hint,
            login.expires_at,
            is_renewable=state_machine.is_renewable(login, now, limits),
            tries_left=left.get(hint),
        )


def _again(stores: Stores, login: Login, code: str, now: datetime) -> CodeIssued:
    """Give an unused code again: the answer was lost, or a button was pressed twice."""
    issued = stores.codes.lock(digest_of(code))
    if issued is None or issued.spent or issued.expires_at <= now:
        raise LoginGone(NextStep.GO)
    return CodeIssued(replace(login.request, reference=None), code)


def _person(login: Login) -> Authenticated:
    if login.account is None or login.auth_time is None or login.level is None:
        raise LoginGone
    return Authenticated(login.account, login.auth_time, login.level)


def _sign_in(login: Login, grant: Grant, now: datetime) -> SignInRecord:
    if login.claimant is None or login.level is None:
        raise LoginGone
    return SignInRecord(
        grant.grant_id, grant.client_id, grant.subject, login.claimant, login.level, now
    )


def _refused(login: Login) -> LoginRefused:
    if login.state is LoginState.COMPLETED:
        raise LoginGone(NextStep.GO)
    return LoginRefused(login.request, state_machine.next_step_of(login))
