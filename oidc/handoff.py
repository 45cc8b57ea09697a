"""The phone's half of a login. Tickets and accounts pass, never a palm.

``login.browser`` is the other half; both move one database row by the rules of
``login.state_machine``. Here it is locked first. Nothing here finishes a login: the code is
issued only when the browser that began it collects with its own secret (RFC 9700 §4.7).
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from oidc import logout
from oidc.accounts import known_browsers, pseudonym
from oidc.errors import LoginGone, NotFromStation, TicketStale
from oidc.linked_clients import LinkedClients, SignIns
from oidc.login import state_machine, tickets
from oidc.login.tickets import PresentedTicket
from oidc.plumbing.client_address import compare_networks, network_prefix
from oidc.protocol import host_of, is_identifier
from oidc.storage.database import Database, Stores
from oidc.storage.stores.logins import Login
from oidc.types import (
    OPEN_STATES,
    AccountId,
    AuditEvent,
    Authenticated,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    Clock,
    Level,
    LoginId,
    LoginLimits,
    LoginState,
    Outcome,
    Ticket,
)

LOGGER: Final = logging.getLogger(__name__)

_CODE_DIGITS: Final = 4


def new_confirmation_code() -> str:
    """Return four random digits: three tries guess it once in 3,333."""
    return f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"


class Handoff:
    """The phone's half of every login. Blocking; safe in several threads and processes.

    Attributes:
        linked_clients: the clients that know an account.
        sign_ins: the sign-ins of accounts.

    Methods raise ``LoginGone`` if the login is unknown, over, or another phone's (then without
    a hint), and ``WrongState`` if it expects another step.
    """

    def __init__(
        self,
        database: Database,
        limits: LoginLimits,
        clock: Clock,
        auth_url: str,
        new_code: Callable[[], str] = new_confirmation_code,
    ) -> None:
        self._database = database
        self._limits = limits
        self._clock = clock
        self._auth_url = auth_url
        self._new_code = new_code
        self.linked_clients = LinkedClients(database, clock)
        self.sign_ins = SignIns(database, clock)

    def claim(
        self,
        ticket: Ticket,
        claimant: Claimant,
        address: str | None = None,
        station: bytes | None = None,
    ) -> ClaimedLogin:
        """Claim the ticket of a QR code at ``address``; the same phone may repeat it.

        ``station``: digest of the cookie in a claiming station's own browser, where the login
        must have begun. Supersedes this phone's other unapproved login. Raises
        ``TicketStale``, ``AlreadyClaimed``, ``NotFromStation``.
        """
        shown = tickets.parse_ticket(ticket)
        with self._database.write() as stores:
            before, now = self._locked(stores, shown.login_id)
            if before.claimant != claimant:
                self._require_fresh(shown, before, now)
            if station is not None and not state_machine.is_at_station(before, station):
                raise NotFromStation
            network = compare_networks(before.origin.network, network_prefix(address))
            login = state_machine.claimed(before, claimant, now, self._limits, network)
            stores.logins.move(before, login, now)
        # After the commit: of two logins claimed at once each must see the other one.
        with self._database.write() as stores:
            stores.logins.supersede_others(claimant, login.login_id, self._clock())
            logo = stores.client_logos.address(self._auth_url, login.request.client_id)
        return self._claimed_login(login, logo, asks_code=station is None)

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return the state, also after the end. Writes nothing."""
        with self._database.read() as stores:
            login = stores.logins.find(login_id) if is_identifier(login_id) else None
        if login is None or login.claimant != claimant:
            raise LoginGone
        return self._state(state_machine.with_expiry(login, self._clock()))

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return ``seq`` of the logins that exist, by one query."""
        with self._database.read() as stores:
            return stores.logins.sequence_numbers(login_ids)

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Record what the palm gave: recognised, one attempt less, or the end."""
        with self._database.write() as stores:
            before, now = self._own(stores, login_id, claimant)
            is_known = isinstance(outcome, Authenticated) and known_browsers.is_known(
                stores, before.browser_mark, outcome.account, now
            )
            # A station's key and cookie show already that phone and browser are one.
            asks = state_machine.may_ask_code(before, is_known_browser=is_known)
            code = self._new_code() if asks and not _is_at_station(outcome) else None
            after = state_machine.compared(before, outcome, now, self._limits, code)
            stores.logins.move(before, after, now)
        return self._state(after, is_known_browser=is_known)

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Approve the login. Idempotent."""
        with self._database.write() as stores:
            before, now = self._own(stores, login_id, claimant)
            after = state_machine.approved(before, now, self._limits)
            stores.logins.move(before, after, now)
        return self._state(after)

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Decline the login, before or after the palm. Idempotent."""
        with self._database.write() as stores:
            before, now = self._own(stores, login_id, claimant)
            after = state_machine.declined(before, now)
            stores.logins.move(before, after, now)
        return self._state(after)

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """End a login that another person began, and revoke all it gave. Idempotent.

        Also after completion, until it is purged. RFC 10027.
        """
        with self._database.write() as stores:
            before, now = self._own(stores, login_id, claimant)
            after = state_machine.reported(before, now)
            if after == before:
                return self._state(after)
            stores.logins.retire(before, after)
            _revoke_reported(stores, after, now)
            client = after.request.client_id
            stores.audit.record(AuditEvent.LOGIN_REPORTED, now, client=client)
        LOGGER.warning(
            "a login was reported by the person it was meant for: client %s, after %s",
            client,
            before.state.value,
        )
        return self._state(after)

    def cancel_claims(self, claimant: Claimant) -> None:
        """Cancel every open login of a phone, approved ones too. Idempotent."""
        with self._database.write() as stores:
            stores.logins.cancel_claimed(claimant, self._clock())

    def delete_account(self, account: AccountId, phones: Sequence[Claimant] = ()) -> None:
        """End the pseudonyms, codes, tokens and logins of a deleted account and its phones.

        Pseudonyms are locked before logins. The second pass ends what a browser collected while
        this waited for its login. Idempotent.
        """
        now = self._clock()
        with self._database.write() as stores:
            known = _withdraw_all(stores, account, now)
            stores.logins.cancel_for(account, now)
            for phone in sorted(phones):
                stores.logins.cancel_claimed(phone, now)
            known += _withdraw_all(stores, account, now)
            stores.logins.delete_phones(phones)
            if known:  # a deletion is repeated at each start; audit it once
                stores.audit.record(AuditEvent.ACCOUNT_FORGOTTEN, now)

    def compact(self) -> None:
        """Truncate SQLite's log, so that no file holds what was erased."""
        self._database.compact()

    def close(self) -> None:
        """Close idle database connections."""
        self._database.close()

    def _require_fresh(self, shown: PresentedTicket, login: Login, now: datetime) -> None:
        """Refuse what was never a ticket of this login, then a stale one.

        In this order: without a ticket no caller learns the login's state.
        """
        limits = self._limits
        age_s = tickets.staleness_s(shown, login.ticket_anchor, login.opened_at, now, limits)
        if login.state not in OPEN_STATES:
            raise LoginGone(state_machine.next_step_of(login))
        if age_s > limits.ticket_grace_s:
            raise TicketStale

    def _state(self, login: Login, *, is_known_browser: bool = False) -> ClaimedLoginState:
        is_asked = login.state is LoginState.APPROVED
        return ClaimedLoginState(
            state=login.state,
            hint=state_machine.next_step_of(login),
            attempts_left=self._limits.attempts - login.attempts,
            expires_at=login.expires_at,
            asked_at=login.asked_at,
            account=login.expected_account,
            confirmation_code=login.confirmation_code if is_asked else None,
            seq=login.seq,
            familiar=state_machine.is_familiar(login, is_known_browser=is_known_browser),
        )

    def _claimed_login(
        self, login: Login, logo: str | None, *, asks_code: bool
    ) -> ClaimedLogin:
        request = login.request
        return ClaimedLogin(
            login_id=login.login_id,
            client_name=request.client_name,
            client_host=host_of(request.redirect_uri),
            scope=request.scope,
            expires_at=login.expires_at,
            account=login.expected_account,
            hint=state_machine.next_step_of(login),
            page_url=f"{self._auth_url}/oauth/consent/{login.login_id}",
            origin=login.origin,
            network=login.network,
            opened_at=login.opened_at,
            may_ask_code=asks_code
            and state_machine.may_ask_code(login, is_known_browser=False),
            accepts=request.accepts,
            registered_itself=request.registered_itself,
            client_logo=logo,
        )

    def _own(
        self, stores: Stores, login_id: LoginId, claimant: Claimant
    ) -> tuple[Login, datetime]:
        login, now = self._locked(stores, login_id)
        if login.claimant != claimant:
            raise LoginGone
        return login, now

    def _locked(self, stores: Stores, login_id: LoginId) -> tuple[Login, datetime]:
        """Return the login, which only this transaction may move, and the time it is now."""
        login = stores.logins.lock(login_id) if is_identifier(login_id) else None
        if login is None:
            raise LoginGone
        now = self._clock()
        return state_machine.with_expiry(login, now), now


def _withdraw_all(stores: Stores, account: AccountId, now: datetime) -> int:
    count = pseudonym.disconnect_all(stores, account, now)
    stores.sessions.remove_of(account)
    return count


def _revoke_reported(stores: Stores, login: Login, now: datetime) -> None:
    """Revoke what a login gave, and forget its browser.

    Also if the grant was revoked before: its session may be active. The consent goes too: the
    person read another person's request.
    """
    grant = None if login.grant_id is None else stores.grants.find_any(login.grant_id)
    if grant is None:
        return
    account = pseudonym.account_of(stores, grant.subject, login.request.sector)
    if account is not None:
        known_browsers.remove(stores, login.browser_mark, account)
    stores.consents.remove([grant.subject])
    logout.end_reported_logins(stores, [grant], now)


def _is_at_station(outcome: Outcome) -> bool:
    return isinstance(outcome, Authenticated) and outcome.level is Level.PALM_AT_STATION
