"""Scripted ends of sign-ins at sandbox clients: no palm, no phone, no page.

``login_hint`` names the end. No session is read or made, and ``login.issue_code`` refuses real
people at sandbox clients and scripted ones at all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oidc.accounts import pseudonym
from oidc.accounts.scripted_people import PEOPLE
from oidc.errors import AuthorizationRefused
from oidc.login import issue_code
from oidc.login.create import expected_account
from oidc.login.refusals import REASONS, refusal_of
from oidc.login.views import CodeIssued
from oidc.protocol.identifiers import new_identifier
from oidc.types import Authenticated, Level, NextStep, SessionId

if TYPE_CHECKING:
    from oidc.storage.database import Database
    from oidc.types import AccountId, AuthorizationRequest, Clock, Lifetimes

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
            raise AuthorizationRefused(
                "invalid_request", "login_hint is no end that a sandbox client may ask for"
            )
        if name in _DISCONNECTING:
            self._disconnect(request, _DISCONNECTING[name])
            raise AuthorizationRefused("access_denied", "the person disconnected the app")
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
            person = Authenticated(account, now, level)
            return issue_code.issue(
                stores, request, person, session_id, self.lifetimes, now
            ).code

    def _disconnect(self, request: AuthorizationRequest, account: AccountId) -> None:
        """End the pseudonym at this client, with its grants, as a person does on a phone."""
        with self.database.write() as stores:
            subject = pseudonym.subject_of(stores, account, request.sector)
            if subject is not None:
                pseudonym.disconnect(stores, subject, self.clock())
