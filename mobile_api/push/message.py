"""A message of Web Push, encrypted for one browser and signed for its push service."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

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

from mobile_api.messages import base64url_encode
from mobile_api.types import PushSubscription

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
