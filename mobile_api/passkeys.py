"""Passkeys: a phone's screen lock confirms that its browser key is still its owner's.

A browser may lose its key, and a thief can copy it with the browser's profile. Passkeys are
stored by the phone or synced to the person's others, which verify the user before they sign.
They never sign requests, only that this browser key belongs to the account now: with the palm a
new key becomes trusted, and an old one can be checked.

``account.rules`` says when a phone must use its passkey again. What passkeys sign is verified
by WebAuthn Level 3 §7.1 and §7.2. This is the only module that imports ``webauthn``, which
checks type, challenge, origin, RP ID hash, the flags UP and UV, algorithm and signature. Here,
frames of other origins are refused too. A challenge is used up in the transaction that stores
what it allows.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509 import DuplicateExtension, InvalidVersion, UnsupportedGeneralNameType
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    RegistrationCredential,
)
from webauthn.registration.verify_registration_response import VerifiedRegistration

from mobile_api.account.gate import AccountGate, PalmProofs
from mobile_api.account.rules import Operation
from mobile_api.devices import NonceService, require_bound, tell_trusted, trust_returned
from mobile_api.errors import MobileError, NonceNeeded, PasskeyRefused
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.stores.passkeys import Passkey
from mobile_api.types import Clock, CredentialId, Device, NoticeKind
from oidc.types import AccountId

ALGORITHMS: Final = (
    COSEAlgorithmIdentifier.ECDSA_SHA_256,
    COSEAlgorithmIdentifier.RSASSA_PKCS1_v1_5_SHA_256,
)
"""ES256, which every platform supports, and RS256 for some TPMs. The first is preferred.
RFC 9053 §2.1, RFC 8812 §2."""

MAX_CREDENTIAL_BYTES: Final = 1023
"""WebAuthn Level 3 §7.1, step 25."""

_FAULTS: Final = (
    WebAuthnException,
    UnsupportedAlgorithm,
    DuplicateExtension,
    InvalidVersion,
    UnsupportedGeneralNameType,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that the library and its parsers raise for invalid bytes."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """This service as WebAuthn's Relying Party.

    Attributes:
        rp_id: host name of the phone page.
        origins: of the page, and of the operator's Android apps.
    """

    rp_id: str
    origins: Sequence[str]


@dataclass(frozen=True, slots=True)
class Creation:
    """Response of ``navigator.credentials.create``: base64url, JSON and CBOR."""

    challenge: str = field(repr=False)
    client_data: bytes = field(repr=False)
    attestation: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Assertion:
    """Response of ``navigator.credentials.get``.

    Attributes:
        signature: over authenticator_data and the SHA-256 of client_data.
    """

    challenge: str = field(repr=False)
    credential_id: CredentialId = field(repr=False)
    client_data: bytes = field(repr=False)
    authenticator_data: bytes = field(repr=False)
    signature: bytes = field(repr=False)
    user_handle: bytes | None = field(repr=False)


def verify_creation(creation: Creation, party: RelyingParty) -> VerifiedRegistration:
    """Verify a new passkey or raise PasskeyRefused. WebAuthn Level 3 §7.1."""
    try:
        verified = verify_registration_response(
            credential=RegistrationCredential(
                id="",
                raw_id=b"",  # the authenticator's data has it
                response=AuthenticatorAttestationResponse(
                    client_data_json=creation.client_data,
                    attestation_object=creation.attestation,
                ),
            ),
            expected_challenge=base64url_to_bytes(creation.challenge),
            expected_rp_id=party.rp_id,
            expected_origin=list(party.origins),
            require_user_verification=True,
            supported_pub_key_algs=list(ALGORITHMS),
        )
        _require_own_frame(creation.client_data)
    except _FAULTS as fault:
        raise PasskeyRefused("the passkey cannot be accepted") from fault
    if len(verified.credential_id) > MAX_CREDENTIAL_BYTES:
        raise PasskeyRefused("the passkey cannot be accepted")
    return verified


def verify_assertion(assertion: Assertion, public_key: bytes, party: RelyingParty) -> int:
    """Return an assertion's counter or raise PasskeyRefused. WebAuthn Level 3 §7.2."""
    try:
        verified = verify_authentication_response(
            credential=AuthenticationCredential(
                id=bytes_to_base64url(assertion.credential_id),
                raw_id=assertion.credential_id,
                response=AuthenticatorAssertionResponse(
                    client_data_json=assertion.client_data,
                    authenticator_data=assertion.authenticator_data,
                    signature=assertion.signature,
                ),
            ),
            expected_challenge=base64url_to_bytes(assertion.challenge),
            expected_rp_id=party.rp_id,
            expected_origin=list(party.origins),
            credential_public_key=public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        _require_own_frame(assertion.client_data)
    except _FAULTS as fault:
        raise PasskeyRefused("the passkey's signature is not valid") from fault
    return verified.new_sign_count


def _require_own_frame(client_data: bytes) -> None:
    """Refuse a page embedded in another origin. WebAuthn Level 3 §7.1 step 10, §7.2 step 14."""
    said = json.loads(client_data)
    if said.get("crossOrigin", False) is not False or "topOrigin" in said:
        raise ValueError("signed within another origin's page")


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
        subject = _creation_subject(device, account)
        with self._answered(creation.challenge, subject) as transaction:
            created = verify_creation(creation, self.party)
            passkey = Passkey(
                CredentialId(created.credential_id),
                account,
                _user_handle(creation.challenge),
                self.party.rp_id,
                created.credential_public_key,
                created.sign_count,
                device.device_id,
            )
            self._add(transaction, device, passkey)
        return passkey.credential_id

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
        subject = _authentication_subject(device)
        with self._answered(assertion.challenge, subject) as transaction:
            passkey = self._passkey_of(transaction, device, assertion)
            sign_count = verify_assertion(assertion, passkey.public_key, self.party)
            self._accept(transaction, device, passkey, sign_count)

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

    @contextmanager
    def _answered(self, challenge: str, subject: str) -> Iterator[Transaction]:
        """Use up a challenge: a right or wrong answer does, one that ends in 503 does not."""
        refused = None
        try:
            with self.challenges.consuming(challenge, subject) as transaction:
                try:
                    yield transaction
                except MobileError as fault:
                    refused = fault
        except NonceNeeded as fault:
            raise PasskeyRefused("the passkey challenge has expired") from fault
        if refused is not None:
            raise refused

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

    def _passkey_of(
        self, transaction: Transaction, device: Device, assertion: Assertion
    ) -> Passkey:
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
    ) -> None:
        now = self.clock()
        if not transaction.references.lock_account(passkey.account, alone=True):
            raise PasskeyRefused("the passkey's signature is not valid")
        if not transaction.passkeys.count_up(passkey.credential_id, sign_count):
            # Perhaps a cloned authenticator. WebAuthn Level 3 §6.1.1.
            transaction.audit.append(Event.PASSKEY_COUNTER_FELL, now, {})
            raise PasskeyRefused("the passkey's signature is not valid")
        found = transaction.devices.find(device.device_id)
        if found is None or (found.account, found.trust) != (device.account, device.trust):
            raise PasskeyRefused("this phone was removed from the account")
        trust_returned(transaction, self.provider, device, now, by="passkey")
        transaction.passkeys.record_authentication(device.device_id, passkey.credential_id, now)


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
