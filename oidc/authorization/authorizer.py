"""Single sign-on: whether this authorization request needs a palm.

None if all of these hold: the operator allows sessions; the browser has one; the person allowed
this client the same before; no other program can pretend to be it; the request does not insist
(``prompt``, ``max_age``, ``id_token_hint``, ``claims``, ``acr_values``, ``user_id``).
Otherwise: the consent page or, with ``prompt=none``, an error. OpenID Connect Core §3.1.2.1,
§3.1.2.3, §3.1.2.6.

At sandbox clients ``login_hint`` names a scripted end: no palm, no phone, no page. No session
is read or made, and ``login.issue_code`` refuses real people at sandbox clients and scripted
ones at all others.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from oidc.accounts import consents, pseudonym, sessions
from oidc.authorization.interaction import Interaction
from oidc.authorization.request import demanded, is_enough
from oidc.client import Authentication, AuthorizationRequest
from oidc.errors import AuthorizationRefused
from oidc.keys import SigningKeys
from oidc.login import issue_code
from oidc.login.browser import BrowserLogins
from oidc.login.create import expected_account
from oidc.login.issue_code import PEOPLE, REASONS, refusal_of
from oidc.login.views import CodeIssued, CreatedLogin, Visitor
from oidc.protocol import new_identifier, new_secret
from oidc.storage.database import Database, Stores
from oidc.storage.stores.sessions import BrowserSession
from oidc.tokens.claims import read_hint
from oidc.types import (
    AccountId,
    Authenticated,
    Clock,
    Level,
    Lifetimes,
    NextStep,
    SessionId,
    SessionSecret,
)

_USUAL: Final = "person-1"

_SIGNING_IN: Final = {
    f"{name}{suffix}": (account, level)
    for suffix, level in (
        ("", Level.SANDBOX),
        ("-at-station", Level.SANDBOX_STATION),
        ("-palm-alone", Level.SANDBOX_PALM),
    )
    for name, account in PEOPLE.items()
}
"""Who signs in, and at which level; ``issue_code`` refuses one that is not accepted."""

_DISCONNECTING: Final = {f"{name}-withdraws": account for name, account in PEOPLE.items()}

_LOGIN_HINTS: Final = {*_SIGNING_IN, *_DISCONNECTING, *(hint.value for hint in REASONS)}


@dataclass(frozen=True, slots=True)
class ScriptedSignIn:
    """Plays the person of a sandbox client. Blocking."""

    database: Database
    clock: Clock
    lifetimes: Lifetimes

    def answer(
        self, request: AuthorizationRequest, login_hint: str | None, hinted: AccountId | None
    ) -> CodeIssued:
        """Return a code for the person of ``login_hint``; any other end is raised.

        ``hinted`` must be that person, if the request names one. Raises
        ``AuthorizationRefused``.
        """
        name = login_hint or _USUAL
        if name not in _LOGIN_HINTS:
            raise AuthorizationRefused("login_hint is no end that a sandbox client may ask for")
        if name in _DISCONNECTING:
            self._disconnect(request, _DISCONNECTING[name])
            raise AuthorizationRefused("the person disconnected the app", "access_denied")
        if name not in _SIGNING_IN:
            raise refusal_of(NextStep(name))
        return CodeIssued(request, self._code(request, *_SIGNING_IN[name], hinted))

    def _code(
        self,
        request: AuthorizationRequest,
        account: AccountId,
        level: Level,
        hinted: AccountId | None,
    ) -> str:
        now = self.clock()
        session_id = SessionId(new_identifier())
        with self.database.write() as stores:
            expected = {expected_account(stores, request), hinted} - {None}
            if not expected <= {account}:
                raise refusal_of(NextStep.LOCKED)
            person, code = Authenticated(account, now, level), new_secret()
            issue_code.issue(stores, code, request, person, session_id, self.lifetimes, now)
            return code

    def _disconnect(self, request: AuthorizationRequest, account: AccountId) -> None:
        """End the pseudonym at this client, with its grants, as a person does on a phone."""
        with self.database.write() as stores:
            subject = pseudonym.subject_of(stores, account, request.sector)
            if subject is not None:
                pseudonym.disconnect(stores, subject, self.clock())


@dataclass(frozen=True, slots=True)
class Authorizer:
    """Answers an authorization request. Blocking."""

    database: Database
    browser_logins: BrowserLogins
    keys: SigningKeys
    clock: Clock
    issuer: str
    lifetimes: Lifetimes
    scripted: ScriptedSignIn

    def authorize(
        self,
        request: AuthorizationRequest,
        interaction: Interaction,
        session_secret: SessionSecret | None,
        visitor: Visitor,
    ) -> CodeIssued | CreatedLogin:
        """Return a code, or a login that waits for a palm. Raises ``AuthorizationRefused``."""
        self._require_linked(request)
        demands = interaction.claims.acr_values
        accepts = demanded(request.accepts, demands, self.issuer)
        request = replace(request, accepts=accepts)
        hinted = self._hinted_account(request, interaction)
        # At a station it may be another person's session.
        has_session = visitor.station is None and self._allows_session(request, interaction)
        if has_session and session_secret:
            code = self._code_without_palm(request, interaction, session_secret, hinted)
            if code is not None:
                return CodeIssued(request, code)
        if interaction.is_silent:
            raise AuthorizationRefused("a palm must be presented", "login_required")
        if request.sandbox:
            return self.scripted.answer(request, interaction.login_hint, hinted)
        return self.browser_logins.create_login(request, visitor, hinted)

    def _require_linked(self, request: AuthorizationRequest) -> None:
        """Refuse an unknown ``user_id`` before anything else. Specification §4.6."""
        with self.database.read() as stores:
            expected_account(stores, request)

    def _hinted_account(
        self, request: AuthorizationRequest, interaction: Interaction
    ) -> AccountId | None:
        """Return the account that ``id_token_hint`` and ``claims`` name, or None."""
        subjects = set(interaction.claims.subjects)
        if interaction.id_token_hint is not None:
            hint = read_hint(self.keys, self.issuer, interaction.id_token_hint)
            if hint is None or hint.client_id != request.client_id:
                raise AuthorizationRefused(
                    "id_token_hint is not an ID token of this client", "login_required"
                )
            subjects.add(hint.subject)
        if not subjects:
            return None
        with self.database.read() as stores:
            accounts = {pseudonym.account_of(stores, s, request.sector) for s in subjects}
        account = accounts.pop()
        if account is None or accounts:
            raise AuthorizationRefused("the expected person is not known", "login_required")
        return account

    def _allows_session(self, request: AuthorizationRequest, interaction: Interaction) -> bool:
        """Return whether no palm may do. ``user_id`` asks for one (specification §4.6)."""
        if not self.lifetimes.session_s or interaction.asks_again or request.sandbox:
            return False
        return interaction.is_silent or request.user_id is None

    def _code_without_palm(
        self,
        request: AuthorizationRequest,
        interaction: Interaction,
        secret: SessionSecret,
        hinted: AccountId | None,
    ) -> str | None:
        """Return a code for the session's person, or None."""
        now = self.clock()
        with self.database.write() as stores:
            session = sessions.find(stores, secret, now)
            expected = {expected_account(stores, request), hinted} - {None}
            if session is None or not expected <= {session.account}:
                return None
            if not _is_fresh(session, interaction, now):
                return None
            # With prompt=none a mere wish is no reason to fail.
            wishes = () if interaction.is_silent else interaction.acr_values
            if not is_enough(session.level, request, wishes, self.issuer):
                return None
            if not _is_allowed(stores, session, request, interaction):
                return None
            # Locked, so that it cannot be signed out meanwhile; after the pseudonym.
            if not stores.sessions.lock(session.digest):
                return None
            person = Authenticated(session.account, session.auth_time, session.level)
            code, begun = new_secret(), session.session_id
            issue_code.issue(stores, code, request, person, begun, self.lifetimes, now)
        return code


def _is_fresh(session: BrowserSession, interaction: Interaction, now: datetime) -> bool:
    """Return whether the palm is recent enough; ``max_age=0`` requires a new one."""
    if interaction.max_age_s is None:
        return True
    limit = timedelta(seconds=interaction.max_age_s)
    return bool(limit) and now - session.auth_time <= limit


def _is_allowed(
    stores: Stores,
    session: BrowserSession,
    request: AuthorizationRequest,
    interaction: Interaction,
) -> bool:
    """Return whether the person allowed this client all of this before.

    A client they never used must not learn that they are signed in. Without a secret or an
    https address any program can pretend to be it: the person answers (RFC 8252 §8.6).
    """
    subject = pseudonym.subject_of(stores, session.account, request.sector)
    consent = None if subject is None else stores.consents.find(subject, request.client_id)
    client = stores.clients.find(request.client_id)
    has_secret = client is not None and client.authentication is not Authentication.NONE
    is_known = has_secret or request.redirect_uri.startswith("https:")
    if consent is not None and is_known and consents.covers(consent, request):
        return True
    if consent is not None and interaction.is_silent:
        raise AuthorizationRefused("the person must consent", "consent_required")
    return False
