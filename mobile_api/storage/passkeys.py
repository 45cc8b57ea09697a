"""Port: passkeys, and for which phones they vouched."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import CredentialId, DeviceId, Passkey, PasskeyAuthentication
from oidc.types import AccountId


class Passkeys(Protocol):
    """Passkeys of accounts. They go with their accounts, and with them all vouchers."""

    def add(self, passkey: Passkey, at: datetime) -> bool:
        """Keep a passkey; False, and nothing changed, if its name or handle is taken."""

    def find(self, credential_id: CredentialId) -> Passkey | None:
        """Return a passkey, None if there is none of that name."""

    def of_account(self, account: AccountId) -> list[CredentialId]:
        """Return the names of an account's passkeys, oldest first."""

    def count_up(self, credential_id: CredentialId, sign_count: int) -> bool:
        """Note what an authenticator counted; False if that is no progress.

        An authenticator that does not count says 0 each time. Atomic: of two calls with one
        number other than 0 at most one returns True. WebAuthn Level 3 §6.1.1.
        """

    def remove(self, credential_id: CredentialId) -> bool:
        """Forget a passkey and all it vouched for; False if there is none."""

    def record_authentication(
        self, device_id: DeviceId, credential_id: CredentialId, at: datetime
    ) -> None:
        """Note that a passkey vouched for a phone; an earlier voucher of it is forgotten."""

    def last_authentication(self, device_id: DeviceId) -> PasskeyAuthentication | None:
        """Return what vouched for a phone last, None if nothing did."""
