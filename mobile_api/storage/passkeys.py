"""Port: passkeys, and which phones they authenticated."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mobile_api.types import CredentialId, DeviceId, Passkey, PasskeyAuthentication
from oidc.types import AccountId


class Passkeys(Protocol):
    """Passkeys of accounts; deleted with the account, and their authentications with them."""

    def add(self, passkey: Passkey, at: datetime) -> bool:
        """Save a passkey; False if its credential id or user handle is taken."""

    def find(self, credential_id: CredentialId) -> Passkey | None:
        """Return a passkey, or None."""

    def of_account(self, account: AccountId) -> list[CredentialId]:
        """Return the credential ids of an account's passkeys, oldest first."""

    def count_up(self, credential_id: CredentialId, sign_count: int) -> bool:
        """Save the signature counter; False if it did not increase.

        An authenticator without a counter always sends 0. Atomic: of two calls with one number
        other than 0, at most one returns True. WebAuthn Level 3 §6.1.1.
        """

    def remove(self, credential_id: CredentialId) -> bool:
        """Delete a passkey and its authentications; False if there is none."""

    def record_authentication(
        self, device_id: DeviceId, credential_id: CredentialId, at: datetime
    ) -> None:
        """Record that a passkey authenticated a phone; replaces the phone's earlier record."""

    def last_authentication(self, device_id: DeviceId) -> PasskeyAuthentication | None:
        """Return the phone's last authentication by passkey, or None."""
