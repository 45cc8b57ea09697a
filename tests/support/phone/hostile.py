"""An attacker with a registered phone: every request made by hand."""

from dataclasses import dataclass, field
from typing import Any

import httpx2
from joserfc.jwk import ECKey

from mobile_api import messages as m
from mobile_api.devices import body_hash
from mobile_api.errors import PhoneRefused
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.types import Purpose
from tests.support.service.dpop_client import Holder
from tests.support.service.mobile_api import API, MobileWorld


@dataclass(frozen=True)
class Sent:
    """A request by hand."""

    method: str = "POST"
    path: str = "/enrolments"
    body: bytes = b""
    content_type: str | None = "application/json"
    claims: dict[str, Any] = field(default_factory=dict)
    key: ECKey | None = None
    proof: str | None = None
    signed_body: bytes | None = None


class HostilePhone:
    """Sends requests by hand, from a registered phone with an open enrolment and a login."""

    def __init__(self, world: MobileWorld) -> None:
        self.world = world
        self.phone: ReferencePhone = world.phone()
        self.consent = self.phone.consent()
        self.enrolment = self.phone.open_enrolment(self.consent).enrolment_id
        self.login = self.phone.claim(world.handoff.open()).login_id

    def challenge(self) -> str:
        """Begin a challenge and return its id; another one where none are asked."""
        message = m.BeginChallenge(purpose=Purpose.PALM_PROOF)
        try:
            return self.phone.begin_challenge(message).challenge_id
        except PhoneRefused:
            return "0" * 32

    def nonce(self) -> str:
        """Return a fresh nonce."""
        nonce: str = self.world.client.get(f"{API}/nonce").headers[m.NONCE_HEADER]
        return nonce

    def proof(self, sent: Sent) -> str:
        """Sign a request; its claims are laid over the honest ones."""
        body = sent.body if sent.signed_body is None else sent.signed_body
        claims = {"nonce": self.nonce(), "bh": body_hash(body), **sent.claims}
        uri = str(claims.pop("htu", API + self.path(sent)))
        method = str(claims.pop("htm", sent.method))
        return Holder(self.world.clock, sent.key or self.phone.key).proof(method, uri, **claims)

    def path(self, sent: Sent) -> str:
        """Fill in the names of the open enrolment and login."""
        return sent.path.format(enrolment=self.enrolment, login=self.login)

    def send(self, sent: Sent) -> httpx2.Response:
        """Send a request."""
        proof = self.proof(sent) if sent.proof is None else sent.proof
        headers = {m.PROOF_HEADER: proof} if proof else {}
        if sent.content_type is not None:
            headers["Content-Type"] = sent.content_type
        return self.world.client.request(
            sent.method, API + self.path(sent), content=sent.body, headers=headers
        )
