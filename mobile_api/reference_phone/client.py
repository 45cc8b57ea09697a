"""The reference phone: what a phone app has to do, over HTTP only.

Of this package it uses only messages and errors, as any phone app would. The phone has one
P-256 key; the service identifies it by the key's thumbprint.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode, urlsplit

from joserfc.jwk import ECKey

from mobile_api import account_messages as a
from mobile_api import messages as m
from mobile_api.errors import NoThenarLink
from mobile_api.frames import FRAMES_TYPE, SentFrame, write_attempt, write_frames
from mobile_api.reference_phone.signed_requests import (
    JSON_TYPE,
    Answer,
    SignedRequests,
    require_success,
)
from mobile_api.types import Purpose

PICTURE_HEADS: Final = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"RIFF", "image/webp"),
)
"""First bytes of the accepted picture formats."""

Palm = bytes | Sequence[bytes] | m.ShowChallenge
"""A picture, up to three of one palm, or the challenge that was passed instead."""

Show = Callable[[m.StepMessage], Sequence[SentFrame]]
"""Shows a palm to the camera as a step asks; returns the frames."""


@dataclass(frozen=True, slots=True)
class Link:
    """The content of a QR code: the API's address and the ticket."""

    api: str
    ticket: str = field(repr=False)


def parse_link(link: str) -> Link:
    """Parse the link in a QR code: ``…/m#ticket``; the API is beside ``/m``.

    Parameters after ``&`` are for the phone page.

    Raises:
        NoThenarLink: it is not such a link.
    """
    try:
        parts = urlsplit(link.strip())
    except ValueError as fault:
        raise NoThenarLink("this is not a sign-in link: it is not a URL") from fault
    base, slash, last = parts.path.rpartition("/")
    ticket = parts.fragment.partition("&")[0]
    if parts.scheme not in {"https", "http"} or not parts.netloc or not ticket:
        raise NoThenarLink("this is not a sign-in link: it has no host or no ticket")
    if not slash or f"/{last}" != m.PAGE_PREFIX:
        raise NoThenarLink("this is not a sign-in link: its path does not end with /m")
    return Link(f"{parts.scheme}://{parts.netloc}{base}{m.API_PREFIX}", ticket)


def new_key() -> ECKey:
    """Make a device key."""
    return ECKey.generate_key("P-256")


def picture_type(picture: bytes) -> str:
    """Return the media type by a picture's first bytes; JPEG by default."""
    for head, content_type in PICTURE_HEADS:
        if picture.startswith(head):
            return content_type
    return "image/jpeg"


class ReferencePhone(SignedRequests):
    """A phone with a device key, talking to one service: a method for each request."""

    def register(self, name: str) -> m.DeviceMessage:
        """Register this phone; repeating it is harmless."""
        return self._post("/devices", m.RegisterDevice(name=name), m.DeviceMessage)

    def consent(self, language: str = "en") -> m.ConsentMessage:
        """Return the consent text in a language, or in English."""
        path = f"/consent?{urlencode({'language': language})}"
        return self._read(self._send("GET", path, b"", {}), m.ConsentMessage)

    def open_enrolment(self, consent: m.ConsentMessage) -> m.EnrolmentMessage:
        """Agree to the consent text and start an enrolment."""
        message = m.OpenEnrolment(
            consent_version=consent.version, consent_sha256=consent.sha256
        )
        return self._post("/enrolments", message, m.EnrolmentMessage)

    def add_picture(self, enrolment_id: str, palm: Palm) -> m.SampleMessage:
        """Send a picture to enrol."""
        path = f"/enrolments/{enrolment_id}"
        return self._show("POST", path, "/samples", palm, m.SampleMessage)

    def add_template(self, enrolment_id: str, template: bytes) -> m.SampleMessage:
        """Send a template to enrol."""
        path = f"/enrolments/{enrolment_id}/templates"
        return self._upload("POST", path, template, m.TEMPLATE_TYPE, m.SampleMessage)

    def finish_enrolment(self, enrolment_id: str) -> m.EnrolledMessage:
        """Enrol the samples."""
        return self._post(f"/enrolments/{enrolment_id}/finish", None, m.EnrolledMessage)

    def enrol(self, pictures: Sequence[bytes]) -> m.EnrolledMessage:
        """Agree, send pictures and finish; show the consent text before."""
        enrolment = self.open_enrolment(self.consent())
        for picture in pictures:
            self.add_picture(enrolment.enrolment_id, picture)
        return self.finish_enrolment(enrolment.enrolment_id)

    def claim(self, ticket: str) -> m.LoginMessage:
        """Claim the ticket of a QR code; return who asks."""
        return self._post("/logins", m.OpenLogin(ticket=ticket), m.LoginMessage)

    def login_state(self, login_id: str) -> m.StateMessage:
        """Return the state of a login."""
        return self._read(self._signed("GET", f"/logins/{login_id}"), m.StateMessage)

    def login_states(self, login_id: str) -> Iterator[m.StateMessage]:
        """Yield the state of a login, now and after each change, while the stream lasts."""
        for data in self._events(f"/logins/{login_id}/events"):
            yield m.StateMessage.model_validate_json(data)

    def answer_picture(self, login_id: str, palm: Palm) -> m.PalmMessage:
        """Answer a login with a picture, or with the frames of one attempt."""
        return self._show("PUT", f"/logins/{login_id}", "/palm", palm, m.PalmMessage)

    def answer_template(self, login_id: str, template: bytes) -> m.PalmMessage:
        """Answer a login with a template."""
        path = f"/logins/{login_id}/template"
        return self._upload("PUT", path, template, m.TEMPLATE_TYPE, m.PalmMessage)

    def answer_proved(self, login_id: str, palm_proof: str) -> m.PalmMessage:
        """Answer a login with a palm that was shown for it before this phone was trusted."""
        body = a.ProvedByPalm(palm_proof=palm_proof).model_dump_json().encode()
        path = f"/logins/{login_id}/palm-proof"
        return self._upload("PUT", path, body, JSON_TYPE, m.PalmMessage)

    def begin_challenge(self, message: m.BeginChallenge) -> m.ChallengeMessage:
        """Ask for a challenge; an earlier one of this phone ends."""
        return self._post("/challenges", message, m.ChallengeMessage)

    def answer_step(
        self, challenge_id: str, number: int, frames: Sequence[SentFrame]
    ) -> m.ChallengeStepMessage:
        """Send the frames of a step; return the next one."""
        path, kind = f"/challenges/{challenge_id}/steps/{number}", m.ChallengeStepMessage
        return self._upload("PUT", path, write_frames(frames), FRAMES_TYPE, kind)

    def pass_challenge(
        self, show: Show, purpose: Purpose = Purpose.PALM_PROOF, attempt_id: str | None = None
    ) -> m.ShowChallenge:
        """Pass a challenge; return what every method here takes in place of a picture.

        ``attempt_id``: of the login or enrolment.
        """
        return self.follow(m.BeginChallenge(purpose=purpose, id=attempt_id), show)

    def follow(self, asked: m.BeginChallenge, show: Show) -> m.ShowChallenge:
        """Pass a challenge that is demanded in full."""
        begun = self.begin_challenge(asked)
        step: m.StepMessage | None = begun.step
        while step is not None:
            step = self.answer_step(begun.challenge_id, step.number, show(step)).step
        return m.ShowChallenge(challenge=begun.challenge_id)

    def approve(self, login_id: str) -> m.StateMessage:
        """Approve a login; return the confirmation code, if any."""
        return self._post(f"/logins/{login_id}/approve", None, m.StateMessage)

    def decline(self, login_id: str) -> m.HintMessage:
        """Decline a login."""
        return self._post(f"/logins/{login_id}/decline", None, m.HintMessage)

    def report(self, login_id: str) -> m.HintMessage:
        """Report a login that someone else started."""
        return self._post(f"/logins/{login_id}/report", None, m.HintMessage)

    def withdraw(self, handle: str, palm_proof: str) -> a.ConnectionsMessage:
        """Disconnect an app with a palm proof."""
        message = a.ProvedByPalm(palm_proof=palm_proof)
        return self._post(f"/connections/{handle}/withdraw", message, a.ConnectionsMessage)

    def deletion_code(self, palm: Palm) -> a.DeletionCodeMessage:
        """Get a code that deletes the account, verified by a palm."""
        return self._proved("/account/deletion-code", palm, a.DeletionCodeMessage)

    def delete_account(self, palm: Palm) -> None:
        """Delete this phone's account, verified by a palm."""
        proof = self.prove_palm(palm).palm_proof
        body = a.ProvedByPalm(palm_proof=proof).model_dump_json().encode()
        require_success(self._signed("POST", "/account/deletion", body, JSON_TYPE))

    def standing(self) -> a.OwnPhoneMessage:
        """Return how far this phone is trusted, and which phones ask it for trust."""
        return self._read(self._signed("GET", "/account/phone"), a.OwnPhoneMessage)

    def ask_trust(self, palm: Palm) -> a.OwnPhoneMessage:
        """Ask to be trusted, or finish that after the waiting time."""
        return self._proved("/account/phone/trust", palm, a.OwnPhoneMessage)

    def recover(self, recovery_code: str, palm_proof: str) -> a.OwnPhoneMessage:
        """Become trusted by a recovery code."""
        message = a.RecoverPhone(recovery_code=recovery_code, palm_proof=palm_proof)
        return self._post("/account/phone/recovery", message, a.OwnPhoneMessage)

    def prove_palm(self, palm: Palm) -> a.PalmProofMessage:
        """Return a palm proof."""
        return self._show("POST", "/palm-proofs", "", palm, a.PalmProofMessage)

    def account(self, palm: Palm) -> a.AccountMessage:
        """Return the account's phones, apps and last sign-ins, verified by a palm."""
        return self._proved("/account/phones", palm, a.AccountMessage)

    def approve_phone(self, handle: str, palm_proof: str) -> a.PhonesMessage:
        """Trust a new phone."""
        message = a.ProvedByPalm(palm_proof=palm_proof)
        return self._post(f"/account/phones/{handle}/approve", message, a.PhonesMessage)

    def refuse_phone(self, handle: str) -> None:
        """Remove a new phone from the account."""
        require_success(self._signed("POST", f"/account/phones/{handle}/refuse"))

    def refuse_all(self) -> None:
        """Remove every new phone that asks from the account."""
        require_success(self._signed("POST", "/account/phones/refuse"))

    def remove_phone(
        self, handle: str, palm_proof: str, *, end_sign_ins: bool = False
    ) -> a.PhonesMessage:
        """Remove a phone and, if wanted, end what it signed in to."""
        message = a.RemovePhone(palm_proof=palm_proof, end_sign_ins=end_sign_ins)
        return self._post(f"/account/phones/{handle}/removal", message, a.PhonesMessage)

    def recovery_code(self, palm: Palm) -> a.RecoveryCodeMessage:
        """Get a code that makes a new phone trusted, verified by a palm."""
        return self._proved("/account/recovery-code", palm, a.RecoveryCodeMessage)

    def _proved(self, path: str, palm: Palm, kind: type[Answer]) -> Answer:
        message = a.ProvedByPalm(palm_proof=self.prove_palm(palm).palm_proof)
        return self._post(path, message, kind)

    def _show(
        self, method: str, path: str, picture: str, palm: Palm, kind: type[Answer]
    ) -> Answer:
        """Send a palm to its route below ``path``: ``picture`` is that of a picture."""
        if isinstance(palm, m.ShowChallenge):
            body = palm.model_dump_json().encode()
            return self._upload(method, f"{path}/challenge", body, JSON_TYPE, kind)
        if isinstance(palm, bytes):
            return self._upload(method, path + picture, palm, picture_type(palm), kind)
        frames = write_attempt(palm)
        return self._upload(method, f"{path}/frames", frames, FRAMES_TYPE, kind)
