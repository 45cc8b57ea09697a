"""Passkeys, and which phones they authenticated."""

from datetime import datetime

from sqlalchemy import and_, delete, or_, select, update

from mobile_api.storage import schema as t
from mobile_api.types import CredentialId, DeviceId, Passkey, PasskeyAuthentication
from oidc.plumbing.store import Store, values_of
from oidc.types import AccountId


class Passkeys(Store):
    """Passkeys of accounts; deleted with the account, and their authentications with them."""

    def add(self, passkey: Passkey, at: datetime) -> bool:
        """Save a passkey; False if its credential id or user handle is taken."""
        values = values_of(passkey, t.passkeys)
        return self._insert_if_absent(t.passkeys, **values, added_at=at)

    def find(self, credential_id: CredentialId) -> Passkey | None:
        """Return a passkey, or None."""
        named = select(t.passkeys).where(t.passkeys.c.credential_id == credential_id)
        return self._one(Passkey, named)

    def of_account(self, account: AccountId) -> list[CredentialId]:
        """Return the credential ids of an account's passkeys, oldest first."""
        passkeys = t.passkeys.c
        found = self._connection.execute(
            select(passkeys.credential_id)
            .where(passkeys.account == account)
            .order_by(passkeys.added_at, passkeys.credential_id)
        )
        return [CredentialId(each) for each in found.scalars()]

    def has_any(self, account: AccountId, rp_id: str) -> bool:
        """Return whether the account has a passkey for this host name."""
        passkeys = t.passkeys.c
        mine = passkeys.account == account, passkeys.rp_id == rp_id
        return self._exists(select(passkeys.account).where(*mine))

    def count_up(self, credential_id: CredentialId, sign_count: int) -> bool:
        """Save the signature counter; False if it did not increase.

        An authenticator without a counter always sends 0. Atomic: of two calls with one number
        other than 0, at most one returns True. WebAuthn Level 3 §6.1.1.
        """
        passkeys = t.passkeys.c
        progress = passkeys.sign_count < sign_count
        if sign_count == 0:
            progress = passkeys.sign_count == 0
        counted = update(t.passkeys).where(passkeys.credential_id == credential_id, progress)
        return self._changed(counted.values(sign_count=sign_count)) == 1

    def remove(self, credential_id: CredentialId) -> bool:
        """Delete a passkey and its authentications; False if there is none."""
        named = delete(t.passkeys).where(t.passkeys.c.credential_id == credential_id)
        return self._changed(named) == 1

    def remove_strays(self, account: AccountId) -> None:
        """Delete an account's passkeys that none of its trusted phones made or used last."""
        phones, passkeys = t.devices.c, t.passkeys.c
        is_trusted = phones.account == account, phones.trusted_at.is_not(None)
        trusted = select(phones.device_id).where(*is_trusted)
        used = select(t.trusted_devices.c.credential_id).where(
            t.trusted_devices.c.device_id.in_(trusted)
        )
        is_stray = and_(
            passkeys.credential_id.not_in(used),
            or_(passkeys.made_by.is_(None), passkeys.made_by.not_in(trusted)),
        )
        self._changed(delete(t.passkeys).where(passkeys.account == account, is_stray))

    def record_authentication(
        self, device_id: DeviceId, credential_id: CredentialId, at: datetime
    ) -> None:
        """Record that a passkey authenticated a phone; replaces the phone's earlier record."""
        used = {"device_id": device_id, "credential_id": credential_id, "at": at}
        self._put(t.trusted_devices, used)

    def last_authentication(self, device_id: DeviceId) -> PasskeyAuthentication | None:
        """Return the phone's last authentication by passkey, or None."""
        trusted, passkeys = t.trusted_devices, t.passkeys
        last = (
            select(trusted.c.credential_id, trusted.c.at, passkeys.c.rp_id)
            .join(passkeys)
            .where(trusted.c.device_id == device_id)
        )
        return self._one(PasskeyAuthentication, last)
