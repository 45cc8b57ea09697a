"""Routes of devices and enrolment under ``/mobile/v1``. No rules here."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    Body,
    EarlierKey,
    PassedChallenge,
    PathId,
    Phone,
    ServicesDep,
    Signer,
    TypedRoute,
    keep_name,
    seconds_until,
)
from mobile_api.api.openapi import BODY_ERRORS, SAMPLE_ERRORS, SHOWN_TYPES, errors, signed
from mobile_api.enrolment import consent as consents
from mobile_api.enrolment.rules import SAMPLES_NEEDED
from mobile_api.enrolment.service import AddedSample
from mobile_api.types import CapturedPalm, Device, EnrolmentId, Purpose, SampleCounts

router: Final = APIRouter(prefix=m.API_PREFIX, route_class=TypedRoute)


@router.get("/nonce", status_code=204, tags=["proof"])
def nonce() -> Response:
    """Return a nonce in the header DPoP-Nonce, as every response does."""
    return Response(status_code=204)


@router.get("/consent", tags=["enrolment"])
def consent(
    services: ServicesDep, language: str = consents.DEFAULT_LANGUAGE
) -> m.ConsentMessage:
    """Return the consent text for enrolment in a language, or in English."""
    text = consents.text_in(services.consents, language)
    return m.ConsentMessage(
        version=text.version,
        language=text.language,
        text=text.text,
        sha256=text.sha256,
        support_email=text.support_email,
    )


@router.get("/earlier-key", tags=["devices"], responses=errors())
def show_earlier_key(earlier: EarlierKey, services: ServicesDep) -> m.EarlierKeyMessage:
    """Return whether a browser's cookie names the key of a phone that is still trusted."""
    known = earlier is not None and services.devices.is_trusted(earlier)
    return m.EarlierKeyMessage(known=known)


@router.post(
    "/devices",
    status_code=201,
    tags=["devices"],
    **signed()
    | {
        "responses": {
            200: {"model": m.DeviceMessage, "description": "already registered"},
            **errors(401, *BODY_ERRORS),
        }
    },
)
def register(
    message: m.RegisterDevice, device_id: Signer, response: Response, services: ServicesDep
) -> m.DeviceMessage:
    """Register a phone; the proof is signed by the new key."""
    if not services.devices.register(device_id, message.name):
        response.status_code = 200
    return m.DeviceMessage(device_id=device_id)


@router.post("/enrolments", status_code=201, tags=["enrolment"], **signed(409, *BODY_ERRORS))
def open_enrolment(
    message: m.OpenEnrolment, phone: Phone, services: ServicesDep
) -> m.EnrolmentMessage:
    """Accept the consent text and start; an earlier pending enrolment is discarded."""
    given = consents.accept(
        services.consents, message.consent_version, message.consent_sha256, services.clock
    )
    services.gate.require(phone, _enrolling(phone))
    enrolment = services.enrolments.open(phone, given)
    return m.EnrolmentMessage(
        enrolment_id=enrolment.enrolment_id,
        expires_in=seconds_until(enrolment.expires_at, services),
        samples_needed=SAMPLES_NEEDED,
        challenge=services.gate.demands_challenge(phone, _enrolling(phone)),
    )


@router.post(
    "/enrolments/{enrolment_id}/samples",
    tags=["enrolment"],
    **signed(409, *SAMPLE_ERRORS, body=SHOWN_TYPES),
)
def add_sample(
    enrolment_id: PathId,
    phone: Phone,
    body: Body,
    passed: PassedChallenge,
    services: ServicesDep,
) -> m.SampleMessage:
    """Add a palm: a picture, discarded at once, or the views of a challenge."""
    enrolment = EnrolmentId(enrolment_id)
    if passed is None:
        services.gate.require_still(phone, _enrolling(phone))
        captured = services.enrolments.acquire(
            phone, enrolment, lambda: services.acquisition.from_picture(body)
        )
        return _sample(captured, services.enrolments.add_sample(phone, enrolment, captured))
    services.enrolments.require_allowed(phone, enrolment)
    views = services.challenges.redeem(phone, passed, Purpose.ENROLMENT, enrolment)
    return _sample(views[0], services.enrolments.add_views(phone, enrolment, views))


@router.post(
    "/enrolments/{enrolment_id}/templates",
    tags=["enrolment"],
    **signed(409, 410, *BODY_ERRORS, 429, body=[m.TEMPLATE_TYPE]),
)
def add_template(
    enrolment_id: PathId, phone: Phone, data: Body, services: ServicesDep
) -> m.SampleMessage:
    """Add a template made on the phone, if the operator accepts that."""
    services.gate.require_still(phone, _enrolling(phone))
    services.gate.require_template(phone)
    captured = services.acquisition.from_template(data)
    added = services.enrolments.add_sample(phone, EnrolmentId(enrolment_id), captured)
    return _sample(captured, added)


@router.post(
    "/enrolments/{enrolment_id}/finish", status_code=201, tags=["enrolment"], **signed(409, 410)
)
def finish_enrolment(
    enrolment_id: PathId, phone: Phone, response: Response, services: ServicesDep
) -> m.EnrolledMessage:
    """Enrol the samples. Refusals never say whose palm matched."""
    enrolled = services.enrolments.finish(phone, EnrolmentId(enrolment_id))
    owner = services.devices.require(phone.device_id)
    keep_name(response, owner, services)
    return m.EnrolledMessage(
        enrolled=_counts(enrolled.counts),
        palm_proof=services.palm_proofs.issue(owner, enrolled.proof_ends_at).text,
    )


def _enrolling(phone: Device) -> Operation:
    return Operation.ADD_PALM if phone.is_trusted else Operation.ENROL


def _sample(captured: CapturedPalm, added: AddedSample) -> m.SampleMessage:
    return m.SampleMessage(
        hand=captured.hand,
        quality=captured.quality,
        samples=_counts(added.counts),
        counted=added.is_counted,
    )


def _counts(counts: SampleCounts) -> m.CountsMessage:
    return m.CountsMessage(left=counts.left, right=counts.right)
