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
    from collections.abc import Sequence

    from mobile_api.login.service import Door
    from mobile_api.observability.metrics import Metrics


class CountedDoor:
    """Wraps the provider's door with metrics."""

    def __init__(self, door: Door, metrics: Metrics) -> None:
        self._door, self._metrics = door, metrics

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code."""
        login = self._door.claim(ticket, claimant, address)
        self._metrics.count_login_step("claim", login.hint.value)
        return login

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return the state of a claimed login."""
        return self._door.get_state(login_id, claimant)

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return a number of each login that grows with its changes."""
        return self._door.sequence_numbers(login_ids)

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report the result of a palm."""
        return self._counted("palm", self._door.record_outcome(login_id, claimant, outcome))

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Approve a login."""
        return self._counted("approve", self._door.approve(login_id, claimant))

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Decline a login."""
        return self._counted("decline", self._door.decline(login_id, claimant))

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Report a login that somebody else started."""
        return self._counted("report", self._door.report(login_id, claimant))

    def cancel_claims(self, claimant: Claimant) -> None:
        """Cancel every open login of a phone."""
        self._door.cancel_claims(claimant)

    def erase_account(self, account: AccountId, phones: Sequence[Claimant] = ()) -> None:
        """Erase a deleted account."""
        self._door.erase_account(account, phones)
        self._metrics.count_login_step("forget", "deleted")

    def compact(self) -> None:
        """Remove what was erased from the provider's files."""
        self._door.compact()

    def close(self) -> None:
        """Release resources."""
        self._door.close()

    def _counted(self, step: str, state: ClaimedLoginState) -> ClaimedLoginState:
        self._metrics.count_login_step(step, state.hint.value)
        return state
