"""Port: pending logins. One row each; every move is one conditional UPDATE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from oidc.types import AuthorizationRequest, LoginState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import AccountId, Claimant, LoginId


@dataclass(frozen=True, slots=True)
class Login:
    """One pending authorization request waiting for a palm.

    Attributes:
        login_id: names it on both sides.
        browser_digest: SHA-256 of the browser's secret.
        ticket_digest: SHA-256 of the ticket in the QR code.
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
    """

    login_id: LoginId
    browser_digest: bytes = field(repr=False)
    ticket_digest: bytes = field(repr=False)
    request: AuthorizationRequest
    state: LoginState
    seq: int
    attempts: int
    expires_at: datetime
    claimant: Claimant | None = field(default=None, repr=False)
    expected_account: AccountId | None = field(default=None, repr=False)
    account: AccountId | None = field(default=None, repr=False)
    auth_time: datetime | None = None
    amr: tuple[str, ...] = ()


class LoginStore(Protocol):
    """Keeps pending logins."""

    def add(self, login: Login) -> None:
        """Keep a new login."""

    def find(self, login_id: LoginId) -> Login | None:
        """Return the login as it was last moved (its deadline may have passed), or None."""

    def find_many(self, login_ids: Sequence[LoginId]) -> list[Login]:
        """Return those of the logins that exist, by one query."""

    def find_ticket(self, ticket_digest: bytes) -> Login | None:
        """Return the login this ticket belongs to, or None."""

    def move(self, before: Login, after: Login, now: datetime) -> bool:
        """Replace ``before`` by ``after``; False if it has moved meanwhile or its time is over.

        Atomic: one UPDATE with the state, the sequence number and the deadline in its
            condition,
        so of several concurrent moves of one login exactly one is made.
        """

    def expire(self, now: datetime) -> int:
        """End every open login that is late, erasing its accounts; return how many."""

    def purge(self, ended_before: datetime) -> int:
        """Delete logins that ended before then; return how many."""

    def cancel_of(self, account: AccountId, now: datetime) -> int:
        """Cancel every open login that is for this account or waits for it; return how many."""
