"""Web Push: notifies trusted phones that allowed it when a new phone asks for trust.

``PushService`` stores subscriptions and sends. A message is encrypted for one browser and
signed for its push service; it says nothing of who asks, of the account, or of the app. RFC
8030, 8291, 8292.

A message is due at a random time after the request, so that push services cannot tell which
phones belong together; then daily, until no phone asks. The endpoint is named by a phone: only
push services that the operator accepts are posted to.

The keys are derived from our key of the aliases, which a new key file keeps. Browsers bind a
subscription to the key that signs for this service (RFC 8292 §4): another one would end them
all.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from joserfc import jwt
from joserfc.jwk import ECKey

from mobile_api.errors import DecryptionFailed, InvalidRequest
from mobile_api.messages import base64url_encode
from mobile_api.settings import MobileSettings, is_loopback
from mobile_api.storage.cipher import NONCE_BYTES
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.key_file import derive_key
from mobile_api.storage.stores.devices import DuePush
from mobile_api.types import Clock, Device, DeviceId, PushSubscription
from oidc.errors import DeliveryFailed
from oidc.types import AccountId

_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of P-256. NIST SP 800-186, 3.2.1.3."""


class PushKeys:
    """Keys that sign messages, and that encrypt stored subscriptions.

    Args:
        own: our key of the aliases.
    """

    def __init__(self, own: bytes) -> None:
        scalar = int.from_bytes(derive_key(own, "push signature"), "big") % (_ORDER - 1) + 1
        self.signing = ec.derive_private_key(scalar, ec.SECP256R1())
        self._aead = AESGCM(derive_key(own, "push subscriptions"))

    def encrypt(self, device_id: DeviceId, subscription: PushSubscription) -> bytes:
        """Encrypt the subscription of a phone."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        parts = [subscription.endpoint, subscription.key.hex(), subscription.auth.hex()]
        return nonce + self._aead.encrypt(nonce, json.dumps(parts).encode(), device_id.encode())

    def decrypt(self, device_id: DeviceId, encrypted: bytes) -> PushSubscription:
        """Decrypt the subscription of a phone. Raises DecryptionFailed."""
        nonce, body = encrypted[:NONCE_BYTES], encrypted[NONCE_BYTES:]
        try:
            content = self._aead.decrypt(nonce, body, device_id.encode())
        except InvalidTag as fault:
            raise DecryptionFailed("a push subscription cannot be decrypted") from fault
        endpoint, key, auth = json.loads(content)
        return PushSubscription(endpoint, bytes.fromhex(key), bytes.fromhex(auth))


SALT_BYTES: Final = 16

_RECORD_BYTES: Final = 4096
"""Size of a record that every push service takes, in bytes. RFC 8291 §4."""

_LAST_RECORD: Final = b"\x02"
"""RFC 8188 §2."""

_SIGNATURE_LIFETIME: Final = timedelta(hours=12)
"""RFC 8292 §2 allows a day."""


def encrypted(
    content: bytes, to: PushSubscription, once: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """Encrypt content for a browser; key and salt are of this message. RFC 8291 §3.4."""
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), to.key)
    ours = point_of(once)
    info = b"WebPush: info\0" + to.key + ours
    secret = _derived(once.exchange(ec.ECDH(), theirs), to.auth, info, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + _RECORD_BYTES.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, content + _LAST_RECORD, None)


def authorization(
    signing: ec.EllipticCurvePrivateKey, endpoint: str, contact: str, now: datetime
) -> str:
    """Return the header by which a push service knows this service. RFC 8292 §2, §3."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((now + _SIGNATURE_LIFETIME).timestamp()),
        "sub": f"mailto:{contact}",
    }
    pem = signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    token = jwt.encode({"typ": "JWT", "alg": "ES256"}, claims, ECKey.import_key(pem))
    return f"vapid t={token}, k={public_text(signing)}"


def public_text(key: ec.EllipticCurvePrivateKey) -> str:
    """Return a public key as browsers take it: base64url of the point."""
    return base64url_encode(point_of(key))


def point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public point, 65 bytes. RFC 8291 §2.1."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Posts a body with headers to a URL and returns the status; raises ``DeliveryFailed``."""

CONTENT: Final = b"somebody asks"
"""All that a message says."""

CLAIM_LIFETIME: Final = timedelta(minutes=1)
"""How long a message is claimed: longer than any delivery takes."""

RETRY: Final = timedelta(minutes=15)
"""Pause after a failed delivery."""

DAY: Final = timedelta(days=1)
"""One message a day while a phone asks; a push service keeps each as long."""

PARALLEL: Final = 8
"""Messages of one round."""

_GONE: Final = (404, 410)
"""The subscription has ended. RFC 8030 §7.3."""

_DELIVERED: Final = range(200, 300)


@dataclass(frozen=True, slots=True)
class PushService:
    """Stores subscriptions and sends what is due. Blocking; safe in several processes."""

    database: Database
    keys: PushKeys
    post: Post
    clock: Clock
    settings: MobileSettings

    @property
    def public_key(self) -> str:
        """The public key that browsers bind a subscription to."""
        return public_text(self.keys.signing)

    def is_subscribed(self, device: Device) -> bool:
        """Return whether a phone is subscribed."""
        with self.database.read() as transaction:
            return transaction.push_subscriptions.has(device.device_id)

    def subscribe(self, device: Device, subscription: PushSubscription) -> None:
        """Notify a trusted phone from now on. Raises InvalidRequest."""
        if not is_accepted(subscription.endpoint, self.settings):
            raise InvalidRequest("this push service is not accepted")
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), subscription.key)
        except ValueError as fault:
            raise InvalidRequest("this is no key of a browser") from fault
        kept = self.keys.encrypt(device.device_id, subscription)
        with self.database.write() as transaction:
            transaction.push_subscriptions.replace(device.device_id, kept)

    def unsubscribe(self, device: Device) -> None:
        """Send a phone no more messages."""
        with self.database.write() as transaction:
            transaction.push_subscriptions.remove(device.device_id)

    def notify(self, transaction: Transaction, account: AccountId) -> None:
        """Schedule a message to the trusted phones of an account: a phone asks for trust."""
        now, spread_s = self.clock(), self.settings.push_spread_s
        for device_id in transaction.push_subscriptions.idle_of(account):
            due_at = now + timedelta(seconds=secrets.randbelow(spread_s + 1))
            transaction.push_subscriptions.postpone(device_id, due_at)

    def count_due(self) -> int:
        """Return how many messages should have been sent."""
        with self.database.read() as transaction:
            return transaction.push_subscriptions.count_due(self.clock())

    def deliver(self) -> None:
        """Send what is due, a few at a time."""
        if not self.count_due():
            return
        now = self.clock()
        with self.database.write() as transaction:
            until = now + CLAIM_LIFETIME
            claimed = transaction.push_subscriptions.claim(now, until, count=PARALLEL)
        with ThreadPoolExecutor(PARALLEL, "push") as pool:
            list(pool.map(self._deliver, claimed))

    def _deliver(self, due: DuePush) -> None:
        now = self.clock()
        with self.database.read() as transaction:
            is_asked = transaction.push_subscriptions.is_asked(due.account, now)
        status = self._send(due, now) if is_asked else None
        with self.database.write() as transaction:
            if status in _GONE:
                transaction.push_subscriptions.remove(due.device_id)
            elif is_asked:
                due_at = _some_time_tomorrow(now) if status in _DELIVERED else now + RETRY
                transaction.push_subscriptions.postpone(due.device_id, due_at)
            else:
                transaction.push_subscriptions.postpone(due.device_id, None)

    def _send(self, due: DuePush, now: datetime) -> int | None:
        """Return the push service's answer; None if there was none."""
        try:
            to = self.keys.decrypt(due.device_id, due.encrypted)
        except DecryptionFailed:
            return _GONE[0]
        if not is_accepted(to.endpoint, self.settings):
            return _GONE[0]
        once, salt = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(SALT_BYTES)
        contact = self.settings.support_email
        headers = {
            "Authorization": authorization(self.keys.signing, to.endpoint, contact, now),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(DAY.total_seconds())),
            "Urgency": "high",
        }
        try:
            return self.post(to.endpoint, encrypted(CONTENT, to, once, salt), headers)
        except DeliveryFailed:
            return None


def _some_time_tomorrow(now: datetime) -> datetime:
    """Return a random time of the next day, UTC: it does not reveal the time of the request."""
    tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + DAY
    return tomorrow + timedelta(seconds=secrets.randbelow(int(DAY.total_seconds())))


def is_accepted(endpoint: str, settings: MobileSettings) -> bool:
    """Return whether the operator accepts a push service: https, the usual port, a known host.

    Where the service itself is on loopback, so may the push service be.
    """
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or parts.scheme not in {"http", "https"}:
        return False
    if is_loopback(host):
        return settings.is_on_loopback
    known = any(
        host == each or (each.startswith(".") and host.endswith(each))
        for each in settings.push_hosts
    )
    return known and parts.scheme == "https" and port in {None, 443}
