"""Phones as devices with a key: registration, account, and the proof that signs each request.

Every route starts here. ``verify_proof`` verifies a signature, ``NonceService`` makes each
proof valid once, ``DeviceService`` returns the device and its account; the functions at the end
give phones to accounts, as new or as trusted.

Proofs are DPoP proofs. RFC 9449 §4. Unlike RFC 9449, the proof also signs the body (claim
``bh``), so that nothing between phone and service can change it. Its key names the device; a
proof is never an access token. The proof is judged before the body is read, and the body by it
afterwards: unauthenticated callers cost no memory.

Refused besides: algorithms other than ES256, and other header parameters than typ, alg and jwk.

Single-use nonces, for proofs and passkey challenges. RFC 9449 §8. A nonce is

    base64url( expiry in ms (8 bytes) ‖ random (16 bytes) ‖ HMAC-SHA256, first 16 bytes )

so issuing one stores nothing. Only used nonces are stored: the database lets one of several
processes consume each. Requests that only read spend none. All processes share the key.

A browser that deleted its key comes back as a new phone. Its cookie names the key that it had.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from mobile_api.errors import ClockSkew, DeviceUnbound, DeviceUnknown, InvalidProof, NonceNeeded
from mobile_api.messages import BODY_HASH_CLAIM, base64url_decode, base64url_encode
from mobile_api.observability.audit import Event
from mobile_api.provider import Provider
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import Clock, Device, DeviceId, NoticeKind, PhoneTrust
from oidc.errors import ProofRefused
from oidc.plumbing import dpop
from oidc.plumbing.dpop import ProvedRequest
from oidc.types import AccountId

RANDOM_BYTES: Final = 16
MAC_BYTES: Final = 16
EXPIRY_BYTES: Final = 8
NONCE_BYTES: Final = EXPIRY_BYTES + RANDOM_BYTES + MAC_BYTES


class NonceService:
    """Issues and consumes nonces.

    ``keys`` returns keys for this purpose only: the first signs, all verify.
    """

    def __init__(
        self,
        keys: Callable[[], Sequence[bytes]],
        database: Database,
        clock: Clock,
        *,
        lifetime_s: int,
    ) -> None:
        self._keys, self._database, self._clock = keys, database, clock
        self._lifetime = timedelta(seconds=lifetime_s)

    def issue(self, subject: str = "") -> str:
        """Return a new nonce; the MAC binds it to the subject."""
        expires_ms = round((self._clock() + self._lifetime).timestamp() * 1000)
        body = expires_ms.to_bytes(EXPIRY_BYTES, "big") + secrets.token_bytes(RANDOM_BYTES)
        return base64url_encode(body + _mac(self._keys()[0], body, subject))

    def consume(self, nonce: str, subject: str = "") -> None:
        """Mark a nonce as used, or raise NonceNeeded."""
        with self.consuming(nonce, subject):
            pass

    @contextmanager
    def consuming(self, nonce: str, subject: str) -> Iterator[Transaction]:
        """Mark a nonce as used in one transaction with what it allows: as ``consume``."""
        body, expires_at = self.check(nonce, subject)
        with self._database.write() as transaction:
            if not transaction.nonces.consume(hashlib.sha256(body).digest(), expires_at):
                raise NonceNeeded("the nonce was used before")
            yield transaction

    def check(self, nonce: str, subject: str = "") -> tuple[bytes, datetime]:
        """Return what a nonce of ours says and until when; raise NonceNeeded for any other."""
        raw = _decode(nonce)
        body, mac = raw[:-MAC_BYTES], raw[-MAC_BYTES:]
        macs = [_mac(key, body, subject) for key in self._keys()]
        if len(raw) != NONCE_BYTES or not any(hmac.compare_digest(mac, ours) for ours in macs):
            raise NonceNeeded("the nonce is not valid")
        expires_ms = int.from_bytes(body[:EXPIRY_BYTES], "big")
        expires_at = datetime.fromtimestamp(expires_ms / 1000, UTC)
        if self._clock() >= expires_at:
            raise NonceNeeded("the nonce has expired")
        return body, expires_at


def _mac(key: bytes, body: bytes, subject: str) -> bytes:
    # Unambiguous, because the body has a fixed length.
    return hmac.digest(key, body + subject.encode(), "sha256")[:MAC_BYTES]


def _decode(nonce: str) -> bytes:
    try:
        return base64url_decode(nonce)
    except ValueError:
        return b""


ALGORITHM: Final = "ES256"
"""RFC 7518 §3.4; every phone's key store supports it."""

HEADERS: Final = frozenset({"typ", "alg", "jwk"})


@dataclass(frozen=True, slots=True)
class Proof:
    """A verified proof. Its nonce is not consumed yet."""

    device_id: DeviceId
    nonce: str = field(repr=False)
    body_hash: str = field(repr=False)

    def require_body(self, body: bytes) -> None:
        """Raise InvalidProof if another body was signed."""
        if not hmac.compare_digest(
            self.body_hash.encode(errors="replace"), body_hash(body).encode()
        ):
            raise InvalidProof("the proof is for another body")


def body_hash(body: bytes) -> str:
    """Return the claim ``bh`` of a body."""
    return base64url_encode(hashlib.sha256(body).digest())


def verify_proof(headers: Sequence[str], request: dpop.ProvedRequest) -> Proof:
    """Return the verified proof among the values of a DPoP header; its body is still to come.

    Raises InvalidProof, NonceNeeded or ClockSkew.
    """
    proof = _signed(headers, request)
    if set(proof.header) != HEADERS:
        raise InvalidProof("the proof's header must be typ, alg and jwk only")
    nonce, signed = proof.claims.get("nonce"), proof.claims.get(BODY_HASH_CLAIM)
    if not isinstance(signed, str):
        raise InvalidProof("the proof is for another body")
    if not isinstance(nonce, str):
        raise NonceNeeded("the proof has no nonce")
    return Proof(DeviceId(proof.key.thumbprint()), nonce, signed)


def _signed(headers: Sequence[str], request: dpop.ProvedRequest) -> dpop.SignedProof:
    try:
        return dpop.verify_proof(headers, request, [ALGORITHM])
    except ProofRefused as fault:
        if fault.is_untimely:
            raise ClockSkew("the phone's clock differs too much from the service's") from fault
        raise InvalidProof(str(fault)) from fault


class DeviceService:
    """Registers phones and authenticates their requests.

    ``origin`` comes from the public URL; the Host header is never used.
    """

    def __init__(
        self,
        database: Database,
        nonces: NonceService,
        clock: Clock,
        *,
        origin: str,
        clock_skew_s: int,
    ) -> None:
        self._database, self._nonces, self._clock = database, nonces, clock
        self._origin, self._clock_skew = origin, timedelta(seconds=clock_skew_s)

    def prove(self, proofs: Sequence[str], method: str, path: str) -> Proof:
        """Return the proof of a request whose body is still to be read, and consume its nonce.

        Reading spends no nonce, and so commits nothing: until it expires a proof may show
        again what the same key was shown.

        Raises InvalidProof, ClockSkew or NonceNeeded.
        """
        request = ProvedRequest(
            method,
            frozenset({self._origin + path}),
            self._clock(),
            window=self._clock_skew,
            ahead=self._clock_skew,
        )
        proof = verify_proof(proofs, request)
        # Last, so that an otherwise invalid proof costs its sender no nonce.
        if method == "GET":
            self._nonces.check(proof.nonce)
        else:
            self._nonces.consume(proof.nonce)
        return proof

    def register(self, device_id: DeviceId, name: str) -> bool:
        """Register a phone; False if its key is registered already."""
        with self._database.write() as transaction:
            return transaction.devices.add(device_id, name, self._clock())

    def is_trusted(self, device_id: DeviceId) -> bool:
        """Return whether a key is of a phone that its account trusts."""
        with self._database.read() as transaction:
            device = transaction.devices.find(device_id)
        return device is not None and device.is_trusted

    def require(self, device_id: DeviceId) -> Device:
        """Return the registered phone or station of a key, or raise DeviceUnknown."""
        with self._database.read() as transaction:
            device = transaction.devices.find(device_id)
            if device is None:
                raise DeviceUnknown("this key is not registered")
            if device.account is not None:
                return device
            return replace(device, station=transaction.stations.of(device_id))


UNUSED_FOR: Final = timedelta(days=7)
"""After so long without a visit Safari deletes keys. A phone used since is not replaced."""


def require_bound(device: Device) -> AccountId:
    """Return the account of a device, or raise DeviceUnbound."""
    if device.account is None:
        raise DeviceUnbound("this phone belongs to no account")
    return device.account


def bind_new(
    transaction: Transaction, device: Device, account: AccountId, now: datetime
) -> None:
    """Bind a phone as new to the locked account whose palm it showed.

    It leaves another account that does not trust it: a palm alone binds weakly.
    """
    if device.account not in (None, account) and not device.is_trusted:
        transaction.devices.unbind_new(device.device_id)
    if transaction.devices.bind(device.device_id, account, now, trusted=False):
        tell_trusted(transaction, account, NoticeKind.NEW_PHONE, now, but=device.device_id)
        transaction.audit.append(Event.PHONE_BOUND, now, {"by": "palm"})


def predecessor_of(transaction: Transaction, device: Device, now: datetime) -> DeviceId | None:
    """Return the trusted, unused phone of the account that a new one was before, if any."""
    if device.earlier is None or device.is_trusted:
        return None
    for phone in transaction.devices.of_account(require_bound(device)):
        is_earlier = phone.device_id == device.earlier
        is_unused = (phone.used_on or phone.since) + UNUSED_FOR <= now
        if is_earlier and is_unused and phone.trust is PhoneTrust.TRUSTED:
            return phone.device_id
    return None


def trust_returned(
    transaction: Transaction, provider: Provider, device: Device, now: datetime, *, by: str
) -> None:
    """Trust a new phone, which its owner proved, in place of its predecessor."""
    account, predecessor = require_bound(device), predecessor_of(transaction, device, now)
    if predecessor is not None:
        transaction.devices.unbind(predecessor, account)
        provider.hand_over_sign_ins(account, predecessor, device.device_id)
        transaction.audit.append(Event.PHONE_REMOVED, now, {"by": "return"})
    trust_phone(transaction, account, device.device_id, now, by=by)


def trust_phone(
    transaction: Transaction,
    account: AccountId,
    device_id: DeviceId,
    now: datetime,
    *,
    by: str,
    owns_from: datetime | None = None,
) -> None:
    """Trust a new phone of an account; nothing happens if it is none."""
    if transaction.devices.trust(device_id, account, now, owns_from):
        tell_trusted(transaction, account, NoticeKind.PHONE_TRUSTED, now, but=device_id)
        transaction.audit.append(Event.PHONE_TRUSTED, now, {"by": by})


def tell_trusted(
    transaction: Transaction,
    account: AccountId,
    kind: NoticeKind,
    now: datetime,
    *,
    but: DeviceId | None = None,
) -> None:
    """Leave a notice for the trusted phones of an account."""
    for device_id in transaction.devices.trusted_of(account):
        if device_id != but:
            transaction.notices.add(device_id, kind, now)
