"""Use case: notify a trusted phone, by its browser's push service, of a request for trust.

A message is due at a random time after the request, so that push services cannot tell which
phones belong together; then daily, until no phone asks. The endpoint is named by a phone: only
push services that the operator accepts are posted to.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec

from mobile_api.errors import DecryptionFailed, InvalidRequest
from mobile_api.push.keys import PushKeys
from mobile_api.push.message import SALT_BYTES, authorization, encrypted, public_text
from mobile_api.settings import MobileSettings, is_loopback
from mobile_api.storage.database import Database
from mobile_api.storage.stores.push_subscriptions import DuePush
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Clock, Device, PushSubscription
from oidc.errors import DeliveryFailed
from oidc.types import AccountId

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

        def soon() -> datetime:
            return now + timedelta(seconds=secrets.randbelow(spread_s + 1))

        transaction.push_subscriptions.schedule(account, soon)

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
