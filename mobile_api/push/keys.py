"""The keys of Web Push, derived from our key of the aliases, which a new key file keeps.

Browsers bind a subscription to the key that signs for this service (RFC 8292 §4): another one
would end them all.
"""

from __future__ import annotations

import json
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mobile_api.errors import DecryptionFailed
from mobile_api.storage.cipher import NONCE_BYTES
from mobile_api.storage.key_file import derive_key
from mobile_api.types import DeviceId, PushSubscription

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
