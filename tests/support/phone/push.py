"""A browser's half of Web Push: its keys, and how it reads a message. RFC 8291."""

import base64
import json
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey

from mobile_api.push import point_of
from tests.support.phone.reference import Phone
from tests.support.servers.recording import Received


def text_of(octets: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


@dataclass(frozen=True)
class PushBrowser:
    """A browser's subscription, with its keys."""

    endpoint: str
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    auth: bytes = b"sixteen octets.."

    @property
    def subscription(self) -> dict[str, str]:
        """The subscription as the page sends it to the service."""
        key = text_of(point_of(self.private))
        return {"endpoint": self.endpoint, "p256dh": key, "auth": text_of(self.auth)}

    def subscribe(self, phone: Phone) -> int:
        """Send the subscription as a phone's page does; return the status."""
        body = json.dumps(self.subscription).encode()
        return phone.send("POST", "/account/phone/push", body, "application/json").status_code

    def read(self, body: bytes) -> bytes:
        """Decrypt a message."""
        salt, theirs, content = body[:16], body[21:86], body[86:]
        info = b"WebPush: info\0" + point_of(self.private) + theirs
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        secret = HKDF(SHA256(), 32, self.auth, info).derive(
            self.private.exchange(ec.ECDH(), point)
        )
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        return AESGCM(key).decrypt(nonce, content, None).removesuffix(b"\x02")


def signed_claims(received: Received, public_key: str) -> dict[str, object]:
    """Return what a push service reads off a message that this key signed. RFC 8292 §3."""
    headers = dict(line.split(": ", 1) for line in received.headers.splitlines() if line)
    token, key = headers["Authorization"].removeprefix("vapid t=").split(", k=")
    assert key == public_key
    point = base64.urlsafe_b64decode(key + "=")
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return jwt.decode(token, ECKey.import_key(pem), algorithms=["ES256"]).claims
