"""A phone with a screen lock: what the page says to the service about passkeys, from Python."""

import json
from dataclasses import dataclass
from typing import Any

from mobile_api.reference_phone.signed_requests import require_success
from tests.support.phone.authenticator import Authenticator
from tests.support.phone.reference import Phone


@dataclass(frozen=True, slots=True)
class PasskeyPhone:
    """A phone and its authenticator."""

    phone: Phone
    authenticator: Authenticator

    def post(self, path: str, message: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a signed request; return the answer, empty if it has none."""
        body = b"" if message is None else json.dumps(message).encode()
        kind = None if message is None else "application/json"
        answer = self.phone.send("POST", path, body, kind)
        require_success(answer)
        said: dict[str, Any] = json.loads(answer.content) if answer.content else {}
        return said

    def palm_proof(self, picture: bytes) -> str:
        """Show the palm for what follows."""
        return self.phone.prove_palm(picture).palm_proof

    def begin_creation(self, picture: bytes) -> dict[str, Any]:
        """Show the palm and learn what a passkey is to be made from."""
        return self.post("/passkeys/creation", {"palm_proof": self.palm_proof(picture)})

    def add(self, picture: bytes) -> None:
        """Make a passkey."""
        self.post("/passkeys", self.authenticator.create(self.begin_creation(picture)))

    def ask(self) -> dict[str, Any]:
        """Learn what a passkey has to sign."""
        return self.post("/passkeys/challenge")

    def vouch(self, palm: bytes | None = None) -> None:
        """Make this phone trusted by its passkey; a new one shows the palm first."""
        proof = None if palm is None else self.palm_proof(palm)
        signed = self.authenticator.sign(self.ask())
        self.post("/passkeys/assertions", {**signed, "palm_proof": proof})
