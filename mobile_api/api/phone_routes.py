"""Routes of devices, enrolment and stations under ``/mobile/v1``. No rules here."""

from typing import Final

from fastapi import APIRouter, Response

from engine.errors import GalleryUnreachable
from mobile_api import errors as e
from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    PICTURE_BODY,
    PICTURE_SHOWN,
    TEMPLATE_BODY,
    TEMPLATE_SHOWN,
    Address,
    Body,
    Claimant,
    EarlierKey,
    PathId,
    Phone,
    ServicesDep,
    Signer,
    TypedRoute,
    extractors_of,
    keep_name,
    raises,
    seconds_until,
)
from mobile_api.enrolment import rules as consents
from mobile_api.enrolment.rules import SAMPLES_NEEDED
from mobile_api.enrolment.service import AddedSample
from mobile_api.types import CapturedPalm, Device, EnrolmentId, Purpose, SampleCounts
from oidc.plumbing.cookies import STATION_COOKIE, STATION_COOKIE_S, host_name, set_cookie

ENROLS: Final = (e.PhoneOwnsLater, e.PasskeyNeeded)
"""What a trusted phone may be refused with that adds a palm."""

ADDS: Final = (e.EnrolmentGone, e.SamplesRepeat, e.TooManySamples, e.TemplateNotAccepted)

router: Final = APIRouter(prefix=m.API_PREFIX, route_class=TypedRoute)


@router.get("/nonce", status_code=204, tags=["proof"])
def get_nonce() -> Response:
    """Return a nonce in the header DPoP-Nonce, as every response does."""
    return Response(status_code=204)


@router.get("/consent", tags=["enrolment"])
def get_consent(
    services: ServicesDep, language: str = consents.DEFAULT_LANGUAGE
) -> m.ConsentMessage:
    """Return the consent text for enrolment in a language, or in English."""
    text = consents.text_in(services.consents, language)
    return m.ConsentMessage.model_validate(text, from_attributes=True)


@router.get("/earlier-key", tags=["devices"])
def get_earlier_key(earlier: EarlierKey, services: ServicesDep) -> m.EarlierKeyMessage:
    """Return whether a browser's cookie names the key of a phone that is still trusted."""
    known = earlier is not None and services.devices.is_trusted(earlier)
    return m.EarlierKeyMessage(known=known)


@router.post(
    "/devices",
    status_code=201,
    tags=["devices"],
    responses={200: {"model": m.DeviceMessage, "description": "already registered"}},
)
def register_device(
    message: m.RegisterDevice, device_id: Signer, response: Response, services: ServicesDep
) -> m.DeviceMessage:
    """Register a phone; the proof is signed by the new key."""
    if not services.devices.register(device_id, message.name):
        response.status_code = 200
    return m.DeviceMessage(device_id=device_id)


@router.post("/enrolments", status_code=201, tags=["enrolment"])
@raises(e.ConsentChanged, *ENROLS)
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
        extractors=extractors_of(phone, _enrolling(phone), services),
    )


@router.post("/enrolments/{enrolment_id}/samples", tags=["enrolment"], **PICTURE_BODY)
@raises(*ADDS, *PICTURE_SHOWN)
def add_picture(
    enrolment_id: PathId, phone: Phone, image: Body, services: ServicesDep
) -> m.SampleMessage:
    """Add a palm by a picture, discarded at once."""
    services.gate.require_still(phone, _enrolling(phone))
    enrolment = EnrolmentId(enrolment_id)
    captured = services.enrolments.acquire(phone, enrolment, image)
    return _sample(captured, services.enrolments.add(phone, enrolment, [captured]))


@router.post("/enrolments/{enrolment_id}/templates", tags=["enrolment"], **TEMPLATE_BODY)
@raises(*ADDS, *TEMPLATE_SHOWN)
def add_template(
    enrolment_id: PathId, phone: Phone, data: Body, services: ServicesDep
) -> m.SampleMessage:
    """Add a palm by one template made on the phone, if the operator accepts that."""
    services.gate.require_still(phone, _enrolling(phone))
    services.gate.require_template(phone)
    captured = services.acquisition.from_template(data)
    added = services.enrolments.add(phone, EnrolmentId(enrolment_id), [captured])
    return _sample(captured, added)


@router.post("/enrolments/{enrolment_id}/challenge", tags=["enrolment"])
@raises(*ADDS, e.ChallengeGone, e.TooManyAttempts)
def add_challenge(
    enrolment_id: PathId, message: m.ShowChallenge, phone: Phone, services: ServicesDep
) -> m.SampleMessage:
    """Add the views of a palm that passed a challenge."""
    enrolment, passed = EnrolmentId(enrolment_id), message.challenge_id
    services.enrolments.require_allowed(phone, enrolment)
    views = services.challenges.redeem(phone, passed, Purpose.ENROLMENT, enrolment)
    return _sample(views[0], services.enrolments.add(phone, enrolment, views))


@router.post("/enrolments/{enrolment_id}/finish", status_code=201, tags=["enrolment"])
@raises(
    *ENROLS,
    *(e.EnrolmentGone, e.TooFewSamples, e.SamplesDisagree, e.OnePalmTwice, e.AlreadyEnrolled),
    *(
        e.PalmMismatch,
        e.DeviceUnbound,
        e.PhoneNotTrusted,
        e.TemplateNotAccepted,
        GalleryUnreachable,
    ),
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


@router.post("/stations", status_code=201, tags=["stations"])
@raises(e.StationCodeWrong, e.StationOutsideNetworks)
def enrol_station(
    message: m.EnrolStation,
    device_id: Signer,
    address: Address,
    response: Response,
    services: ServicesDep,
) -> m.StationMessage:
    """Make a browser the station of an enrolment code; the proof is signed by a new key."""
    station, secret = services.stations.enrol(device_id, message.code, address)
    _give_cookie(response, secret, services)
    return m.StationMessage(name=station.name)


@router.post("/stations/cookie", tags=["stations"])
@raises(e.StationRefused)
def renew_station_cookie(
    phone: Claimant, response: Response, services: ServicesDep
) -> m.StationMessage:
    """Give a station another cookie, in place of one that its browser may have lost."""
    station, secret = services.stations.renew_cookie(phone)
    _give_cookie(response, secret, services)
    return m.StationMessage(name=station.name)


def _give_cookie(response: Response, secret: str, services: ServicesDep) -> None:
    is_secure = services.stations.is_secure
    name = host_name(STATION_COOKIE, is_secure=is_secure)
    set_cookie(response, name, secret, STATION_COOKIE_S, is_secure=is_secure)
