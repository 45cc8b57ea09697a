"""Passkeys, and which phones they authenticated."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import and_, or_, select

from mobile_api.storage import schema as t
from mobile_api.types import CredentialId, DeviceId
from oidc.plumbing.store import Store, rows, values_of
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class Passkey:
    """The "credential record" of WebAuthn Level 3 §4.

    Attributes:
        user_handle: 32 random bytes, stored with it.
        rp_id: the only host name that it works for.
        public_key: COSE_Key. RFC 9053.
        sign_count: 0 if the authenticator does not count.
        made_by: the device on which it was added, while that is known.
    """

    credential_id: CredentialId = field(repr=False)
    account: AccountId = field(repr=False)
    user_handle: bytes = field(repr=False)
    rp_id: str
    public_key: bytes = field(repr=False)
    sign_count: int
    made_by: DeviceId | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class PasskeyAuthentication:
    """A device's last authentication with a passkey, ``at`` aware and UTC."""

    credential_id: CredentialId = field(repr=False)
    rp_id: str
    at: datetime


class Passkeys(Store):
    """Passkeys of accounts; deleted with the account, and their authentications with them."""

    def add(self, passkey: Passkey, at: datetime) -> bool:
        """Save a passkey; False if its credential id or user handle is taken."""
        values = values_of(passkey, t.passkeys)
        return self._insert_if_absent(t.passkeys, **values, added_at=at)

    def find(self, credential_id: CredentialId) -> Passkey | None:
        """Return a passkey, or None."""
        return self._one(Passkey, rows(t.passkeys, credential_id=credential_id))

    def of_account(self, account: AccountId) -> list[CredentialId]:
        """Return the credential ids of an account's passkeys, oldest first."""
        passkeys = t.passkeys.c
        its = select(passkeys.credential_id).where(passkeys.account == account)
        oldest_first = its.order_by(passkeys.added_at, passkeys.credential_id)
        return list(self._connection.execute(oldest_first).scalars())

    def has_any(self, account: AccountId, rp_id: str) -> bool:
        """Return whether the account has a passkey for this host name."""
        return self._has(t.passkeys, account=account, rp_id=rp_id)

    def count_up(self, credential_id: CredentialId, sign_count: int) -> bool:
        """Save the signature counter; False if it did not increase.

        An authenticator without a counter always sends 0. Atomic: of two calls with one number
        other than 0, at most one returns True. WebAuthn Level 3 §6.1.1.
        """
        last, new = t.passkeys.c.sign_count, {"sign_count": sign_count}
        progress = last < sign_count if sign_count else last == 0
        return self._update(t.passkeys, new, progress, credential_id=credential_id) == 1

    def remove(self, credential_id: CredentialId) -> bool:
        """Delete a passkey and its authentications; False if there is none."""
        return self._delete(t.passkeys, credential_id=credential_id) == 1

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
        self._delete(t.passkeys, is_stray, account=account)

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
