"""Port: pending logins. One row each; every move is one conditional UPDATE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from oidc.types import AuthorizationRequest, BrowserDescription, LoginState, Network

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import AccountId, Claimant, GrantId, LoginId, SectorIdentifier


@dataclass(frozen=True, slots=True)
class Login:
    """One pending authorization request waiting for a palm.

    Attributes:
        login_id: names it on both sides.
        browser_digest: SHA-256 of the browser's secret.
        ticket_anchor: end of the hash chain of its tickets; see ``tickets``.
        request: what the client asked for.
        state: where it stands.
        seq: grows by one at each move; two concurrent moves cannot both be made.
        attempts: palms that did not match.
        expires_at: deadline of the present state, or when the login ended; aware, UTC.
        claimant: the phone that claimed the ticket.
        expected_account: the only account that may answer (specification §4.6). Erased at the
            end.
        account: whose palm it was. Erased at the end.
        auth_time: when the palm was recognised.
        amr: how (RFC 8176).
        opened_at: when its QR code was first shown; aware, UTC.
        asked_at: when the browser came with the request: earlier, if the code was renewed.
        origin: what the browser says of itself.
        network: whether the phone came by the browser's network.
        browser_mark: SHA-256 of the browser's lasting secret; None if it has none.
        confirmation_code: what the browser must type; None if nothing. Erased at the end.
        code_attempts: wrong codes that were typed.
        grant_id: what a completed login gave, so that a report can still revoke it.
    """

    login_id: LoginId
    browser_digest: bytes = field(repr=False)
    ticket_anchor: bytes = field(repr=False)
    request: AuthorizationRequest
    state: LoginState
    seq: int
    attempts: int
    expires_at: datetime
    opened_at: datetime
    asked_at: datetime
    claimant: Claimant | None = field(default=None, repr=False)
    expected_account: AccountId | None = field(default=None, repr=False)
    account: AccountId | None = field(default=None, repr=False)
    auth_time: datetime | None = None
    amr: tuple[str, ...] = ()
    origin: BrowserDescription = field(default_factory=BrowserDescription)
    network: Network = Network.UNKNOWN
    browser_mark: bytes | None = field(default=None, repr=False)
    confirmation_code: str | None = field(default=None, repr=False)
    code_attempts: int = 0
    grant_id: GrantId | None = None


@dataclass(frozen=True, slots=True, order=True)
class Ended:
    """What is remembered of a login that is deleted: nothing else of it is.

    Attributes:
        hour: in which it ended; aware, UTC.
        state: how.
    """

    hour: datetime
    state: str


class LoginStore(Protocol):
    """Keeps pending logins."""

    def add(self, login: Login) -> None:
        """Keep a new login."""

    def find(self, login_id: LoginId) -> Login | None:
        """Return the login as it was last moved (its deadline may have passed), or None."""

    def find_many(self, login_ids: Sequence[LoginId]) -> list[Login]:
        """Return those of the logins that exist, by one query."""

    def move(self, before: Login, after: Login, now: datetime) -> bool:
        """Replace ``before`` by ``after``; False if it has moved meanwhile or its time is over.

        Atomic: one UPDATE with the state, the sequence number and the deadline in its
            condition,
        so of several concurrent moves of one login exactly one is made.
        """

    def retire(self, before: Login, after: Login) -> bool:
        """Replace a login whose time is over; False if it has moved meanwhile. Atomic."""

    def expire(self, now: datetime, asked_before: datetime) -> int:
        """End every open login that is late, erasing its accounts; return how many.

        A login that nobody scanned and that was asked for after ``asked_before`` is left: its
        browser may still renew it.
        """

    def count_open(self, now: datetime) -> int:
        """Return how many logins wait for a phone, a palm, a person or their browser."""

    def purge(self, ended_before: datetime) -> Counter[Ended]:
        """Delete logins that ended before then; return how many ended how, by the hour."""

    def supersede_others(self, claimant: Claimant, newer: LoginId, now: datetime) -> int:
        """End the other logins a phone holds and has not approved; return how many.

        One that is being moved at this moment is left alone.
        """

    def cancel_for(
        self, account: AccountId, now: datetime, sector: SectorIdentifier | None = None
    ) -> int:
        """Cancel every open login that is for this account or waits for it; return how many.

        Args:
            account: whose.
            now: aware, UTC.
            sector: only at clients of this sector; None: everywhere.

        Waits for logins that are being moved, in the order of their names.
        """
