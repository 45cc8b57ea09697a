"""A phone in a person's hand: the reference phone, and what a person does with it."""

from collections.abc import Callable, Iterable
from typing import Self

import httpx2
import pytest

from mobile_api.errors import PhoneRefused
from mobile_api.messages import LoginMessage, StateMessage
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link


class Phone(ReferencePhone):
    """A phone that scans codes and approves other phones."""

    @classmethod
    def registered(cls, api: str, http: httpx2.Client) -> Self:
        """Return a new phone, registered and without an account."""
        phone = cls(api, new_key(), http)
        phone.register("A phone")
        return phone

    def scan(self, link: str) -> LoginMessage:
        """Claim the login behind a QR code."""
        found = parse_link(link)
        assert found.api == self.api, "the link leads to another service"
        return self.claim(found.ticket)

    def sign_in(self, link: str, palm: bytes) -> StateMessage:
        """Scan a QR code, show the palm and approve."""
        login_id = self.scan(link).login_id
        assert self.answer_picture(login_id, palm).hint == "wait_approve"
        return self.approve(login_id)

    def begin_enrolment(self, pictures: Iterable[bytes] = ()) -> str:
        """Consent, open an enrolment and send pictures; return its name."""
        enrolment = self.open_enrolment(self.consent()).enrolment_id
        for each in pictures:
            self.add_picture(enrolment, each)
        return enrolment

    def send(self, method: str, path: str, body: bytes, kind: str | None) -> httpx2.Response:
        """Send any body of any type, properly signed."""
        return self._signed(method, path, body, kind)

    def proof(self, method: str, path: str, body: bytes) -> str:
        """Return the proof of one request, with a fresh nonce, for a request by hand."""
        self._send("GET", "/nonce", b"", {})
        return self._proof(method, path, body)

    def trust(self, new: Self, palm: bytes) -> None:
        """Approve a new phone of the same person."""
        new.ask_trust(palm)
        handle = self.standing().requests[0].handle
        self.approve_phone(handle, self.prove_palm(palm).palm_proof)


def refusal_of(act: Callable[[], object]) -> PhoneRefused | None:
    """Return what the service refuses with, if it does."""
    try:
        act()
    except PhoneRefused as refused:
        return refused
    return None


def error_of(act: Callable[[], object]) -> str | None:
    """Return the error that the service answers with, if any."""
    refused = refusal_of(act)
    return None if refused is None else refused.error


def refusal(act: Callable[[], object]) -> PhoneRefused:
    """Return what the service refuses."""
    with pytest.raises(PhoneRefused) as caught:
        act()
    return caught.value
