"""What the provider offers, for callers that know accounts and phones by our own names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from oidc.aliases import Aliases
from oidc.handoff import Door
from oidc.linked_clients import LinkedClients
from oidc.sign_ins import SignIns
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    LinkedClient,
    LinkedClientHandle,
    LoginId,
    Outcome,
    SignIn,
    Ticket,
)


class AliasedDoor:
    """The door: names go in as aliases, aliases come out as names."""

    def __init__(self, door: Door, aliases: Aliases) -> None:
        self._door, self._aliases = door, aliases
        self._phone = aliases.alias_of_phone

    def claim(
        self, ticket: Ticket, claimant: Claimant, address: str | None = None
    ) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code."""
        login = self._door.claim(ticket, self._phone(claimant), address)
        return replace(login, account=self._named(login.account))

    def get_state(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Return the state of a claimed login."""
        return self._state(self._door.get_state(login_id, self._phone(claimant)))

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return a number of each login that grows with its changes."""
        return self._door.sequence_numbers(login_ids)

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Report the result of a palm."""
        if isinstance(outcome, Authenticated):
            outcome = replace(outcome, account=self._aliases.alias_of(outcome.account))
        phone = self._phone(claimant)
        return self._state(self._door.record_outcome(login_id, phone, outcome))

    def approve(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Approve a login."""
        return self._state(self._door.approve(login_id, self._phone(claimant)))

    def decline(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Decline a login."""
        return self._state(self._door.decline(login_id, self._phone(claimant)))

    def report(self, login_id: LoginId, claimant: Claimant) -> ClaimedLoginState:
        """Report a login that somebody else started."""
        return self._state(self._door.report(login_id, self._phone(claimant)))

    def cancel_claims(self, claimant: Claimant) -> None:
        """Cancel every open login of a phone."""
        self._door.cancel_claims(self._phone(claimant))

    def erase_account(self, account: AccountId, phones: Sequence[Claimant] = ()) -> None:
        """Erase a deleted account."""
        aliases = [self._phone(each) for each in phones]
        self._door.erase_account(self._aliases.alias_of(account), aliases)

    def compact(self) -> None:
        """Remove what was erased from the provider's files."""
        self._door.compact()

    def close(self) -> None:
        """Release resources."""
        self._door.close()

    def _state(self, state: ClaimedLoginState) -> ClaimedLoginState:
        return replace(state, account=self._named(state.account))

    def _named(self, alias: AccountId | None) -> AccountId | None:
        return None if alias is None else self._aliases.account_of(alias)


class AliasedLinkedClients:
    """The clients that know an account."""

    def __init__(self, linked_clients: LinkedClients, aliases: Aliases) -> None:
        self._linked_clients, self._aliases = linked_clients, aliases

    def of(self, account: AccountId) -> list[LinkedClient]:
        """Return the clients that know the account, latest first."""
        return self._linked_clients.of(self._aliases.alias_of(account))

    def withdraw(self, account: AccountId, handle: LinkedClientHandle) -> None:
        """End a pseudonym, its grants and its open logins. Raises LinkedClientGone."""
        self._linked_clients.withdraw(self._aliases.alias_of(account), handle)

    def close(self) -> None:
        """Release resources."""
        self._linked_clients.close()


class AliasedSignIns:
    """The sign-ins of accounts."""

    def __init__(self, sign_ins: SignIns, aliases: Aliases) -> None:
        self._sign_ins, self._aliases = sign_ins, aliases

    def of(self, account: AccountId) -> list[SignIn]:
        """Return the latest sign-ins by palm, newest first."""
        found = self._sign_ins.of(self._aliases.alias_of(account))
        return [replace(each, claimant=self._aliases.phone_of(each.claimant)) for each in found]

    def end(self, account: AccountId, claimant: Claimant) -> int:
        """Revoke what a phone signed in; return how many grants."""
        phone = self._aliases.alias_of_phone(claimant)
        return self._sign_ins.end(self._aliases.alias_of(account), phone)

    def close(self) -> None:
        """Release resources."""
        self._sign_ins.close()
