"""Store of pending logins. One row each; a transition is one conditional UPDATE."""

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
        browser_digest: SHA-256 of the browser's secret.
        ticket_anchor: end of the hash chain of its tickets; see ``tickets``.
        seq: incremented by each transition, so that concurrent ones cannot both succeed.
        attempts: palms that did not match.
        expires_at: deadline of the state, or when the login ended.
        claimant: the phone that claimed the ticket.
        expected_account: the only account that may answer (specification §4.6). Erased at the
            end.
        account: owner of the palm. Erased at the end.
        amr: authentication methods (RFC 8176).
        opened_at: when its QR code was first shown.
        asked_at: when the browser sent the request; earlier if the code was renewed.
        network: whether phone and browser share a network.
        browser_mark: SHA-256 of the known-browser cookie, or None.
        confirmation_code: what the browser must enter, or None. Erased at the end.
        code_attempts: wrong codes entered.
        grant_id: of a completed login, so that a report can revoke it.
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
    """All that is kept of a deleted login: the hour it ended in and how."""

    hour: datetime
    state: str


class LoginStore(Protocol):
    """Stores pending logins."""

    def add(self, login: Login) -> None:
        """Add a login."""

    def find(self, login_id: LoginId) -> Login | None:
        """Return the login, possibly past its deadline, or None."""

    def find_many(self, login_ids: Sequence[LoginId]) -> list[Login]:
        """Return the logins that exist, in one query."""

    def move(self, before: Login, after: Login, now: datetime) -> bool:
        """Replace ``before`` by ``after``; False if it changed meanwhile or is too late.

        Atomic: one UPDATE conditioned on state, ``seq`` and deadline, so that one of several
        concurrent transitions succeeds.
        """

    def retire(self, before: Login, after: Login) -> bool:
        """Replace a login past its deadline; False if it changed meanwhile. Atomic."""

    def expire(self, now: datetime, asked_before: datetime) -> int:
        """End every login past its deadline and erase its accounts; return how many.

        Skips unscanned logins requested after ``asked_before``: their browser may renew them.
        """

    def count_open(self, now: datetime) -> int:
        """Return how many logins are open."""

    def purge(self, ended_before: datetime) -> Counter[Ended]:
        """Delete logins that ended before then; return counts by hour and state."""

    def supersede_others(self, claimant: Claimant, newer: LoginId, now: datetime) -> int:
        """End the other unapproved logins of a phone; return how many.

        Skips logins that are locked by a concurrent transition.
        """

    def cancel_for(
        self, account: AccountId, now: datetime, sector: SectorIdentifier | None = None
    ) -> int:
        """Cancel every open login for this account; return how many.

        Waits for concurrent transitions, in the order of ``login_id``.

        Args:
            account: its own logins and those that expect it.
            now: aware, UTC.
            sector: limits to clients of this sector.
        """

    def cancel_claimed(self, claimant: Claimant, now: datetime) -> int:
        """Cancel every open login of a phone; return how many. Waits as ``cancel_for``."""
