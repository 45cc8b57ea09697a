"""THE DOOR between the provider and whoever recognises people. Tickets and accounts only.

This is the phone's half of a login: it claims the ticket of a QR code, settles the login with
an outcome, and approves or declines. The browser's half is ``waiting``. Both may live in
different processes: they meet in one row of the database, and every move is one conditional
UPDATE of a state machine drawn in ``transitions``.

Nothing that comes through this door finishes a login: the code is minted only when the browser
that began collects with its own secret (RFC 9700 §4.7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc import pseudonym, transitions
from oidc.addresses import host_of
from oidc.errors import LoginGone
from oidc.secrets import digest_of, is_identifier
from oidc.types import ClaimedLogin, ClaimedLoginState

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from oidc.storage.logins import Login
    from oidc.storage.transactions import Stores, Transactions
    from oidc.types import AccountId, Claimant, Clock, Limits, LoginId, Outcome, Ticket


class Door:
    """The phone's half of every login. Blocking; safe in several threads and processes.

    Another phone than the one that claimed learns nothing: ``AlreadyClaimed`` when it claims,
    ``LoginGone`` without a hint on every other call.
    """

    def __init__(self, transactions: Transactions, limits: Limits, clock: Clock) -> None:
        self._transactions = transactions
        self._limits = limits
        self._clock = clock

    def claim(self, ticket: Ticket, claimant: Claimant) -> ClaimedLogin:
        """Take the ticket of a QR code. The same phone may claim again after an interruption.

        Raises:
            AlreadyClaimed: another phone holds it.
            LoginGone: unknown, expired or finished.
        """
        with self._transactions.read() as stores:
            found = stores.logins.find_ticket(digest_of(ticket))
        if found is None:
            raise LoginGone

        def step(login: Login, now: datetime) -> Login:
            return transitions.claimed(login, claimant, now, self._limits)

        return _claimed_login(self._advance(found.login_id, step))

    def look(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return where the login stands, also after it ended.

        Raises:
            LoginGone: unknown, or claimed by another phone.
        """
        return self._step(login_id, claimant, lambda login, _now: login)

    def settle(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report what a palm gave: recognised, one attempt less, or locked.

        Raises:
            WrongState: a palm was recognised before.
            LoginGone: unknown, claimed by another phone, or over.
        """
        return self._step(
            login_id,
            claimant,
            lambda login, now: transitions.settled(login, outcome, now, self._limits),
        )

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say yes. Saying it twice is once.

        Raises:
            WrongState: no palm was recognised yet.
            LoginGone: unknown, claimed by another phone, or over.
        """
        return self._step(
            login_id,
            claimant,
            lambda login, now: transitions.approved(login, now, self._limits),
        )

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say no, before or after the palm. Saying it twice is once.

        Raises:
            WrongState: it was approved before.
            LoginGone: unknown, claimed by another phone, or over.
        """
        return self._step(login_id, claimant, transitions.declined)

    def forget(self, account: AccountId) -> None:
        """Forget a deleted account: its pseudonyms, codes and tokens end, logins too."""
        now = self._clock()
        with self._transactions.write() as stores:
            stores.logins.cancel_of(account, now)
            pseudonym.forget(stores, account, now)

    def close(self) -> None:
        """Close idle connections, at the end of the process."""
        self._transactions.close()

    def _step(
        self, login_id: LoginId, claimant: Claimant, step: Callable[[Login, datetime], Login]
    ) -> ClaimedLoginState:
        def guarded(login: Login, now: datetime) -> Login:
            if login.claimant != claimant:
                raise LoginGone
            return step(login, now)

        login = self._advance(login_id, guarded)
        attempts_left = self._limits.attempts - login.attempts
        hint = transitions.hint_of(login)
        return ClaimedLoginState(
            login.state, hint, attempts_left, login.expires_at, login.expected_account
        )

    def _advance(self, login_id: LoginId, step: Callable[[Login, datetime], Login]) -> Login:
        """Make the step; if another move came between, look again and decide again.

        Ends, because each lost race means that the login came closer to its end.
        """
        while True:
            now = self._clock()
            with self._transactions.write() as stores:
                before = transitions.at(_found(stores, login_id), now)
                after = step(before, now)
                if after == before or stores.logins.move(before, after, now):
                    return after


def _found(stores: Stores, login_id: LoginId) -> Login:
    login = stores.logins.find(login_id) if is_identifier(login_id) else None
    if login is None:
        raise LoginGone
    return login


def _claimed_login(login: Login) -> ClaimedLogin:
    request = login.request
    return ClaimedLogin(
        login_id=login.login_id,
        client_name=request.client_name,
        client_host=host_of(request.redirect_uri),
        scope=request.scope,
        expires_at=login.expires_at,
        account=login.expected_account,
    )
