"""Counts the steps of logins on their way to the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.types import (
    AccountId,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    LoginId,
    Outcome,
    Ticket,
)

if TYPE_CHECKING:
    from mobile_api.login.service import Door
    from mobile_api.observability.metrics import Metrics


class CountedDoor:
    """The door to the provider, with every step counted.

    Args:
        door: the real one.
        metrics: where it is counted.
    """

    def __init__(self, door: Door, metrics: Metrics) -> None:
        self._door, self._metrics = door, metrics

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Take the ticket of a QR code."""
        login = self._door.claim(ticket, claimant, address)
        self._metrics.stepped("claim", login.hint.value)
        return login

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return where a claimed login stands."""
        return self._door.get_state(login_id, claimant)

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report what a palm gave."""
        return self._counted("palm", self._door.record_outcome(login_id, claimant, outcome))

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say yes."""
        return self._counted("approve", self._door.approve(login_id, claimant))

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say no."""
        return self._counted("decline", self._door.decline(login_id, claimant))

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Say that somebody else began it."""
        return self._counted("report", self._door.report(login_id, claimant))

    def erase_account(self, account: AccountId) -> None:
        """Forget a deleted account."""
        self._door.erase_account(account)
        self._metrics.stepped("forget", "deleted")

    def close(self) -> None:
        """Give back what the door holds open."""
        self._door.close()

    def _counted(self, step: str, state: ClaimedLoginState) -> ClaimedLoginState:
        self._metrics.stepped(step, state.hint.value)
        return state
