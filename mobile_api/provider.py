"""The provider interface: the only way from palms and phones to the OpenID provider.

Here accounts and phones have our own names, there they have aliases (``oidc.aliases``). Palms
never pass, subjects never come back.
"""

from collections.abc import Sequence
from dataclasses import replace

from mobile_api.observability.metrics import Metrics
from mobile_api.types import DeviceId
from oidc.aliases import Aliases
from oidc.errors import LoginGone
from oidc.handoff import Handoff
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    ClaimedLogin,
    ClaimedLoginState,
    LinkedClient,
    LinkedClientHandle,
    LoginId,
    LoginState,
    Outcome,
    SignIn,
    Ticket,
)


class Provider:
    """Logins, linked clients and sign-ins at the provider. Raises errors of ``oidc.errors``.

    Counts the steps of logins. Blocking, thread-safe.
    """

    def __init__(self, handoff: Handoff, aliases: Aliases, metrics: Metrics) -> None:
        self._handoff, self._aliases, self._metrics = handoff, aliases, metrics

    def claim(
        self, ticket: Ticket, phone: DeviceId, address: str | None, station: bytes | None = None
    ) -> ClaimedLogin:
        """Claim a login by the ticket of its QR code; ``station``: see ``Handoff.claim``."""
        login = self._handoff.claim(ticket, self._alias_of(phone), address, station)
        self._metrics.count_login_step("claim", login.hint.value)
        return replace(login, account=self._account_of(login.account))

    def get_state(self, login_id: LoginId, phone: DeviceId) -> ClaimedLoginState:
        """Return the state of a claimed login, also after its end."""
        return self._named(self._handoff.get_state(login_id, self._alias_of(phone)))

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return a number of each login that grows with its changes."""
        return self._handoff.sequence_numbers(login_ids)

    def awaiting_palm(self, login_id: LoginId, phone: DeviceId) -> ClaimedLoginState:
        """Return a login that waits for a palm, or whose palm matched. Raises LoginGone."""
        login = self.get_state(login_id, phone)
        if login.state is LoginState.VERIFIED:
            self._metrics.count_login_step("palm", login.hint.value)
        elif login.state is not LoginState.SCANNED:
            raise LoginGone(login.hint)
        return login

    def record(self, login_id: LoginId, phone: DeviceId, outcome: Outcome) -> ClaimedLoginState:
        """Record what a palm gave: see ``Handoff.record_outcome``."""
        if isinstance(outcome, Authenticated):
            alias = self._aliases.alias_of(outcome.account)
            outcome = replace(outcome, account=alias)
        state = self._handoff.record_outcome(login_id, self._alias_of(phone), outcome)
        return self._counted("palm", state)

    def approve(self, login_id: LoginId, phone: DeviceId) -> ClaimedLoginState:
        """Approve a login."""
        return self._counted("approve", self._handoff.approve(login_id, self._alias_of(phone)))

    def decline(self, login_id: LoginId, phone: DeviceId) -> ClaimedLoginState:
        """Decline a login."""
        return self._counted("decline", self._handoff.decline(login_id, self._alias_of(phone)))

    def report(self, login_id: LoginId, phone: DeviceId) -> ClaimedLoginState:
        """Report a login that another person started."""
        return self._counted("report", self._handoff.report(login_id, self._alias_of(phone)))

    def cancel_logins(self, phone: DeviceId) -> None:
        """Cancel every open login of a phone."""
        self._handoff.cancel_claims(self._alias_of(phone))

    def linked_clients(self, account: AccountId) -> list[LinkedClient]:
        """Return the clients that know an account, latest first."""
        return self._handoff.linked_clients.of(self._aliases.alias_of(account))

    def disconnect(self, account: AccountId, handle: LinkedClientHandle) -> None:
        """End a pseudonym, its grants and its open logins. Raises LinkedClientGone."""
        self._handoff.linked_clients.disconnect(self._aliases.alias_of(account), handle)

    def sign_ins(self, account: AccountId) -> list[SignIn]:
        """Return the latest sign-ins by palm, newest first."""
        found = self._handoff.sign_ins.of(self._aliases.alias_of(account))
        return [replace(each, claimant=self._aliases.phone_of(each.claimant)) for each in found]

    def revoke_sign_ins(self, account: AccountId, phone: DeviceId) -> None:
        """Revoke what a phone signed in."""
        alias = self._aliases.alias_of(account)
        self._handoff.sign_ins.end(alias, self._alias_of(phone))

    def hand_over_sign_ins(self, account: AccountId, before: DeviceId, after: DeviceId) -> None:
        """Count what a phone signed in as its successor's."""
        alias, phones = self._aliases.alias_of(account), map(self._alias_of, (before, after))
        self._handoff.sign_ins.hand_over(alias, *phones)

    def delete_account(self, account: AccountId, phones: Sequence[DeviceId]) -> None:
        """Delete an account with its phones. Idempotent."""
        aliases = [self._alias_of(each) for each in phones]
        self._handoff.delete_account(self._aliases.alias_of(account), aliases)
        self._metrics.count_login_step("forget", "deleted")

    def compact(self) -> None:
        """Remove what was deleted from the provider's files."""
        self._handoff.compact()

    def close(self) -> None:
        """Close idle database connections."""
        self._handoff.close()

    def _counted(self, step: str, state: ClaimedLoginState) -> ClaimedLoginState:
        self._metrics.count_login_step(step, state.hint.value)
        return self._named(state)

    def _named(self, state: ClaimedLoginState) -> ClaimedLoginState:
        return replace(state, account=self._account_of(state.account))

    def _account_of(self, alias: AccountId | None) -> AccountId | None:
        return None if alias is None else self._aliases.account_of(alias)

    def _alias_of(self, phone: DeviceId) -> Claimant:
        return self._aliases.alias_of_phone(Claimant(phone))
