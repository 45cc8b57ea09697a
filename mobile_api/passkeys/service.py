"""Use case: a passkey (the phone's screen lock) authenticates the key of its browser.

A browser may lose its key, and a thief can copy it with the browser's profile. Passkeys are
stored by the phone or synced to the person's others, which verify the user before they sign.
They never sign requests, only that this browser key belongs to the account now: with the palm a
new key becomes trusted, and an old one can be checked.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from mobile_api.account.gate import AccountGate
from mobile_api.account.palm_proofs import PalmProofs
from mobile_api.account.rules import Operation
from mobile_api.devices.binding import require_bound, tell_trusted, trust_returned
from mobile_api.devices.nonces import NonceService
from mobile_api.errors import NonceNeeded, PasskeyRefused
from mobile_api.observability.audit import Event
from mobile_api.passkeys.webauthn import (
    Assertion,
    Creation,
    RelyingParty,
    verify_assertion,
    verify_creation,
)
from mobile_api.provider import Provider
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Clock, CredentialId, Device, NoticeKind, Passkey
from oidc.types import AccountId

CHALLENGE_LIFETIME_S: Final = 300
"""WebAuthn Level 3 §15.1 recommends minutes."""

PASSKEYS_LIMIT: Final = 20
"""Most passkeys of one account."""


@dataclass(frozen=True, slots=True)
class PasskeyChallenge:
    """The challenge that an authenticator has to sign.

    Attributes:
        challenge: base64url; valid once, for one phone and one purpose.
        known: passkeys of the phone's account.
        expires_at: aware, UTC.
    """

    challenge: str = field(repr=False)
    known: Sequence[CredentialId] = field(repr=False)
    expires_at: datetime

    @property
    def user_handle(self) -> bytes:
        """Random handle for a passkey created by this challenge."""
        return _user_handle(self.challenge)


@dataclass(frozen=True, slots=True)
class PasskeyService:
    """Creates passkeys, authenticates with them and removes them.

    The key of ``challenges`` must be used for nothing else.
    """

    database: Database
    challenges: NonceService
    gate: AccountGate
    palm_proofs: PalmProofs
    clock: Clock
    party: RelyingParty
    provider: Provider

    @property
    def rp_id(self) -> str:
        """Host name that passkeys are created for."""
        return self.party.rp_id

    def begin_creation(self, device: Device, palm_proof: str) -> PasskeyChallenge:
        """Return the challenge for a new passkey, for a phone that has just shown its palm.

        Raises DeviceUnbound or PalmProofExpired.
        """
        account = self.palm_proofs.require(device, palm_proof)
        return self._challenge(_creation_subject(device, account), account)

    def add(self, device: Device, creation: Creation) -> CredentialId:
        """Store a new passkey; it also authenticates this phone.

        Raises as ``AccountGate.lock``, or PasskeyRefused.
        """
        account = require_bound(device)
        self._consume_challenge(creation.challenge, _creation_subject(device, account))
        created = verify_creation(creation, self.party)
        passkey = Passkey(
            created.credential_id,
            account,
            _user_handle(creation.challenge),
            self.party.rp_id,
            created.public_key,
            created.sign_count,
            device.device_id,
        )
        with self.database.write() as transaction:
            self._add(transaction, device, passkey)
        return created.credential_id

    def begin_authentication(self, device: Device) -> PasskeyChallenge:
        """Return the challenge for an authentication, even of an unbound phone."""
        # A new phone must not learn which passkeys the account has: its own one is found.
        known_to = device.account if device.is_trusted else None
        return self._challenge(_authentication_subject(device), known_to)

    def authenticate(self, device: Device, assertion: Assertion, palm_proof: str) -> None:
        """Authenticate a phone with a passkey of its account, which then trusts the phone.

        A phone that is not trusted has just shown a palm of that account.

        Raises DeviceUnbound, PalmProofExpired or PasskeyRefused.
        """
        if not device.is_trusted:
            self.palm_proofs.require(device, palm_proof)
        self._consume_challenge(assertion.challenge, _authentication_subject(device))
        passkey = self._passkey_of(device, assertion)
        sign_count = verify_assertion(assertion, passkey.public_key, self.party)
        with self.database.write() as transaction:
            refused = self._accept(transaction, device, passkey, sign_count)
        if refused is not None:
            raise refused

    def remove(self, device: Device) -> None:
        """Remove the passkey that last authenticated this phone, for all phones."""
        with self.database.write() as transaction:
            authentication = transaction.passkeys.last_authentication(device.device_id)
            if authentication is not None and transaction.passkeys.remove(
                authentication.credential_id
            ):
                transaction.audit.append(Event.PASSKEY_REMOVED, self.clock(), {})

    def _challenge(self, subject: str, account: AccountId | None) -> PasskeyChallenge:
        with self.database.read() as transaction:
            known = [] if account is None else transaction.passkeys.of_account(account)
        expires_at = self.clock() + timedelta(seconds=CHALLENGE_LIFETIME_S)
        return PasskeyChallenge(self.challenges.issue(subject), known, expires_at)

    def _consume_challenge(self, challenge: str, subject: str) -> None:
        # First: a challenge allows one answer, right or wrong.
        try:
            self.challenges.consume(challenge, subject)
        except NonceNeeded as fault:
            raise PasskeyRefused("the passkey challenge has expired") from fault

    def _add(self, transaction: Transaction, device: Device, passkey: Passkey) -> None:
        now, who = self.clock(), device.device_id
        account = self.gate.lock(transaction, device, Operation.KEEP_PASSKEY)
        is_allowed = len(transaction.passkeys.of_account(account)) < PASSKEYS_LIMIT
        if not (is_allowed and transaction.passkeys.add(passkey, now)):
            raise PasskeyRefused("the passkey cannot be accepted")
        transaction.passkeys.record_authentication(who, passkey.credential_id, now)
        transaction.devices.end_waiting(account)
        tell_trusted(transaction, account, NoticeKind.PASSKEY_ADDED, now, but=who)
        transaction.audit.append(Event.PASSKEY_ADDED, now, {})

    def _passkey_of(self, device: Device, assertion: Assertion) -> Passkey:
        with self.database.read() as transaction:
            passkey = transaction.passkeys.find(assertion.credential_id)
        if (
            passkey is None
            or passkey.rp_id != self.party.rp_id
            or device.account != passkey.account
            or not _is_handle(assertion.user_handle, passkey, is_named=device.is_trusted)
        ):
            raise PasskeyRefused("the passkey's signature is not valid")
        return passkey

    def _accept(
        self, transaction: Transaction, device: Device, passkey: Passkey, sign_count: int
    ) -> PasskeyRefused | None:
        """Record an authentication, or return a refusal, so that the audit log is committed."""
        now = self.clock()
        if not transaction.references.lock_account(passkey.account, alone=True):
            return PasskeyRefused("the passkey's signature is not valid")
        if not transaction.passkeys.count_up(passkey.credential_id, sign_count):
            # Perhaps a cloned authenticator. WebAuthn Level 3 §6.1.1.
            transaction.audit.append(Event.PASSKEY_COUNTER_FELL, now, {})
            return PasskeyRefused("the passkey's signature is not valid")
        found = transaction.devices.find(device.device_id)
        if found is None or (found.account, found.trust) != (device.account, device.trust):
            return PasskeyRefused("this phone was removed from the account")
        trust_returned(transaction, self.provider, device, now, by="passkey")
        transaction.passkeys.record_authentication(device.device_id, passkey.credential_id, now)
        return None


def _creation_subject(device: Device, account: AccountId) -> str:
    return f"create {device.device_id} {account}"


def _authentication_subject(device: Device) -> str:
    return f"authenticate {device.device_id}"


def _user_handle(challenge: str) -> bytes:
    """Return 32 bytes derived from the challenge: nothing is stored in between."""
    return hashlib.sha256(b"thenar user handle " + challenge.encode()).digest()


def _is_handle(user_handle: bytes | None, passkey: Passkey, *, is_named: bool) -> bool:
    """Check a user handle; only a named passkey may omit it. WebAuthn Level 3 §7.2, step 6."""
    if user_handle is None:
        return is_named
    return hmac.compare_digest(user_handle, passkey.user_handle)
