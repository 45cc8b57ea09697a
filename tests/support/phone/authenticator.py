"""An authenticator in software: makes passkeys and signs with them, as WebAuthn Level 3 says.

What it writes is real (CBOR, COSE, ES256 or RS256), and built here from the standard, not with
the library that the service verifies with. Every part of it can be made wrong.
"""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any, Final

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

USER_PRESENT, USER_VERIFIED, ATTESTED = 0x01, 0x04, 0x40
"""Flags of authenticator data. WebAuthn Level 3 §6.1."""

ES256, RS256 = -7, -257
"""Numbers of COSE algorithms. RFC 9053 §2.1, RFC 8812 §2."""

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_RSA: Final = rsa.generate_private_key(65537, 2048)


def text(octets: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def octets(written: str) -> bytes:
    """Return what base64url without padding stands for."""
    return base64.urlsafe_b64decode(written + "=" * (-len(written) % 4))


@dataclass(slots=True)
class Credential:
    """A passkey within an authenticator."""

    credential_id: bytes
    user_handle: bytes
    key: Key

    def sign(self, data: bytes) -> bytes:
        """Return a signature."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(data, padding.PKCS1v15(), SHA256())
        return self.key.sign(data, ec.ECDSA(SHA256()))

    def cose_key(self) -> dict[int, int | bytes]:
        """Return the public key. RFC 9053 §7.1, RFC 8230 §4."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            rsa_numbers = self.key.public_key().public_numbers()
            n, e = rsa_numbers.n.to_bytes(256, "big"), rsa_numbers.e.to_bytes(3, "big")
            return {1: 3, 3: RS256, -1: n, -2: e}
        numbers = self.key.public_key().public_numbers()
        x, y = (each.to_bytes(32, "big") for each in (numbers.x, numbers.y))
        return {1: 2, 3: ES256, -1: 1, -2: x, -3: y}


@dataclass(slots=True)
class Authenticator:
    """An authenticator, and the browser in front of it.

    Attributes:
        origin: of the page that asks, as the browser sees it.
        rp_id: signed for instead of the requested one.
        flags: of the person's presence.
        algorithm: of the keys it makes.
        step: by how much its counter grows with each signature; 0: it does not count.
        count: what it has counted.
        client: laid over what the browser says (type, challenge, crossOrigin …).
        credentials: what it keeps.
    """

    origin: str
    rp_id: str | None = None
    flags: int = USER_PRESENT | USER_VERIFIED
    algorithm: int = ES256
    step: int = 0
    count: int = 0
    client: dict[str, Any] = field(default_factory=dict)
    credentials: list[Credential] = field(default_factory=list)

    def create(self, wanted: dict[str, Any]) -> dict[str, str]:
        """Make a passkey; return the body that tells the service of it."""
        key: Key = _RSA if self.algorithm == RS256 else ec.generate_private_key(ec.SECP256R1())
        made = Credential(secrets.token_bytes(32), octets(wanted["user_handle"]), key)
        self.credentials.append(made)
        return self.attest(made, wanted)

    def attest(self, made: Credential, wanted: dict[str, Any]) -> dict[str, str]:
        """Return the body that tells the service of a passkey. WebAuthn Level 3 §6.5.4."""
        attested = (
            bytes(16)
            + len(made.credential_id).to_bytes(2, "big")
            + made.credential_id
            + cbor2.dumps(made.cose_key())
        )
        data = self._data(wanted["rp_id"], ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return {
            "challenge": wanted["challenge"],
            "client_data": text(self._client_data("webauthn.create", wanted["challenge"])),
            "attestation": text(attestation),
        }

    def sign(self, asked: dict[str, Any]) -> dict[str, str]:
        """Sign with the last passkey; return the body that tells the service of it."""
        used = self.credentials[-1]
        self.count += self.step
        data = self._data(asked["rp_id"], 0)
        client_data = self._client_data("webauthn.get", asked["challenge"])
        signature = used.sign(data + hashlib.sha256(client_data).digest())
        return {
            "challenge": asked["challenge"],
            "credential_id": text(used.credential_id),
            "client_data": text(client_data),
            "authenticator_data": text(data),
            "signature": text(signature),
            "user_handle": text(used.user_handle),
        }

    def _data(self, rp_id: str, more_flags: int) -> bytes:
        """Return authenticator data without what was made. WebAuthn Level 3 §6.1."""
        digest = hashlib.sha256((self.rp_id or rp_id).encode()).digest()
        return digest + bytes([self.flags | more_flags]) + self.count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str) -> bytes:
        """Return what the browser adds. WebAuthn Level 3 §5.8.1."""
        said = {"type": kind, "challenge": challenge, "origin": self.origin}
        return json.dumps(said | {"crossOrigin": False} | self.client).encode()
