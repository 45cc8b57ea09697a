"""A phone in somebody's hand: the reference phone, and a network of its own for templates."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Self

import httpx2

from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from mobile_api.errors import PhoneRefused
from mobile_api.messages import LoginMessage, PalmMessage
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link

if TYPE_CHECKING:
    from collections.abc import Sequence

Refused = PhoneRefused
Claimed = LoginMessage


@cache
def pipeline_on_the_phone() -> PalmPipeline:
    """Load what a phone needs to make templates itself."""
    return load_pipeline(EngineSettings())


class Phone:
    """A registered phone.

    Args:
        reference: what talks to the service.
    """

    def __init__(self, reference: ReferencePhone) -> None:
        self.reference = reference

    @classmethod
    def registered(cls, public_url: str, http: httpx2.Client) -> Self:
        """Return a new phone, registered and belonging to nobody."""
        phone = ReferencePhone(f"{public_url}/mobile/v1", new_key(), http)
        phone.register("A phone")
        return cls(phone)

    def enrol(self, pictures: Sequence[bytes]) -> None:
        """Agree to the consent text and enrol."""
        self.reference.enrol(pictures)

    def claim(self, link: str) -> Claimed:
        """Scan a QR code."""
        found = parse_link(link)
        assert found.api == self.reference.api, "the link leads to another service"
        return self.reference.claim(found.ticket)

    def show(self, login_id: str, picture: bytes) -> PalmMessage:
        """Show a palm to the camera; the picture is sent."""
        return self.reference.answer_picture(login_id, picture)

    def show_template(self, login_id: str, picture: bytes) -> PalmMessage:
        """Show a palm to the camera; only a template leaves the phone."""
        template = pipeline_on_the_phone().extract(picture).template
        return self.reference.answer_template(login_id, encode_template(template))

    def approve(self, login_id: str) -> str:
        """Say yes."""
        return self.reference.approve(login_id).hint

    def decline(self, login_id: str) -> str:
        """Say no."""
        return self.reference.decline(login_id).hint

    def look(self, login_id: str) -> str:
        """Ask where the login stands."""
        return self.reference.login_state(login_id).hint

    def trust(self, new: Self, picture: bytes) -> None:
        """Approve a new phone of the same person."""
        new.reference.ask_trust(picture)
        handle = self.reference.standing().requests[0].handle
        proof = self.reference.prove_palm(picture).palm_proof
        self.reference.approve_phone(handle, proof)

    def delete_account(self, picture: bytes) -> None:
        """Delete the account."""
        self.reference.delete_account(picture)
