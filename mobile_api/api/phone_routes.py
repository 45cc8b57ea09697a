"""HTTP in, HTTP out: the phone's API under ``/mobile/v1``. No rule is made here."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from mobile_api import messages as m
from mobile_api.api.http import (
    Address,
    Approver,
    Body,
    Name,
    Phone,
    Services,
    Signer,
    TypedRoute,
    Use,
    seconds_until,
)
from mobile_api.api.openapi import PICTURE, PROVED, faults, proved
from mobile_api.enrolment import consent as consents
from mobile_api.enrolment.rules import SAMPLES_NEEDED
from mobile_api.types import CapturedPalm, EnrolmentId, SampleCounts
from oidc.types import (
    ClaimedLoginState,
    Hint,
    LoginId,
    Ticket,
)

router: Final = APIRouter(prefix=m.API_PREFIX, route_class=TypedRoute)


@router.get("/nonce", status_code=204, tags=["proof"])
def nonce() -> Response:
    """Give a nonce: it is in the header DPoP-Nonce, as in every answer."""
    return Response(status_code=204)


@router.get("/consent", tags=["enrolment"])
def consent(use: Use) -> m.ConsentMessage:
    """Give the text a person must agree to before enrolling."""
    text = use.consent
    return m.ConsentMessage(
        version=text.version,
        text=text.text,
        sha256=text.sha256,
        support_email=text.support_email,
    )


@router.post(
    "/devices",
    status_code=201,
    tags=["devices"],
    openapi_extra=proved(),
    responses={
        200: {"model": m.DeviceMessage, "description": "registered before"},
        **faults(401, 413, 415, 422),
    },
)
def register(
    message: m.RegisterDevice, device_id: Signer, response: Response, use: Use
) -> m.DeviceMessage:
    """Register a phone; the proof is signed by the new key itself."""
    if not use.devices.register(device_id, message.name):
        response.status_code = 200
    return m.DeviceMessage(device_id=device_id)


@router.post(
    "/enrolments",
    status_code=201,
    tags=["enrolment"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 409, 413, 415, 422),
)
def open_enrolment(message: m.OpenEnrolment, phone: Phone, use: Use) -> m.EnrolmentMessage:
    """Agree to the consent text and begin; an enrolment begun before is forgotten."""
    given = consents.accept(
        use.consent, message.consent_version, message.consent_sha256, use.clock
    )
    enrolment = use.enrolments.open(phone, given)
    return m.EnrolmentMessage(
        enrolment_id=enrolment.enrolment_id,
        expires_in=seconds_until(enrolment.expires_at, use),
        samples_needed=SAMPLES_NEEDED,
    )


@router.post(
    "/enrolments/{enrolment_id}/samples",
    tags=["enrolment"],
    openapi_extra=proved(*m.SAMPLE_TYPES),
    responses=faults(*PROVED, 409, 410, *PICTURE),
)
def add_sample(enrolment_id: Name, phone: Phone, picture: Body, use: Use) -> m.SampleMessage:
    """Add a picture of a palm. It is forgotten at once; its template waits, encrypted."""
    use.enrolments.require_open(phone, EnrolmentId(enrolment_id))
    shown = use.acquisition.from_picture(picture)
    counts = use.enrolments.add_sample(phone, EnrolmentId(enrolment_id), shown)
    return _sample(shown, counts)


@router.post(
    "/enrolments/{enrolment_id}/templates",
    tags=["enrolment"],
    openapi_extra=proved(m.TEMPLATE_TYPE),
    responses=faults(*PROVED, 409, 410, 413, 415, 422),
)
def add_template(enrolment_id: Name, phone: Phone, data: Body, use: Use) -> m.SampleMessage:
    """Add a template that was made on the phone, where the operator accepts that."""
    shown = use.acquisition.from_template(data)
    counts = use.enrolments.add_sample(phone, EnrolmentId(enrolment_id), shown)
    return _sample(shown, counts)


@router.post(
    "/enrolments/{enrolment_id}/finish",
    status_code=201,
    tags=["enrolment"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 409, 410, 429),
)
def finish_enrolment(enrolment_id: Name, phone: Phone, use: Use) -> m.EnrolledMessage:
    """Enrol what was added. Refusals never say whose palm matched."""
    enrolled = use.enrolments.finish(phone, EnrolmentId(enrolment_id))
    proof = use.palm_proofs.give(use.devices.require(phone.device_id))
    return m.EnrolledMessage(enrolled=_counts(enrolled), palm_proof=proof.text)


@router.post(
    "/logins",
    tags=["login"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 409, 410, 413, 415, 422),
)
def open_login(
    message: m.OpenLogin, phone: Phone, use: Use, address: Address
) -> m.LoginMessage:
    """Claim the ticket of a QR code and learn who asks. The same phone may claim again."""
    login = use.logins.open(phone, Ticket(message.ticket), address)
    return m.LoginMessage(
        login_id=login.login_id,
        client_name=login.client_name,
        client_host=login.client_host,
        scope=list(login.scope),
        expires_in=seconds_until(login.expires_at, use),
        hint=login.hint,
        page_url=login.page_url,
        asked_from=m.AskedFromMessage(
            browser=login.origin.browser, system=login.origin.system, network=login.network
        ),
        asked_ago=max(0, int((use.clock() - login.asked_at).total_seconds())),
        asks_code=login.may_ask_code,
    )


@router.get(
    "/logins/{login_id}",
    tags=["login"],
    openapi_extra=proved(),
    response_model_exclude_none=True,
    responses=faults(*PROVED, 410),
)
def look_at_login(login_id: Name, phone: Phone, use: Use) -> m.StateMessage:
    """Tell where a login stands, also after it ended."""
    return _state(use.logins.look(phone, LoginId(login_id)), use)


@router.put(
    "/logins/{login_id}/palm",
    tags=["login"],
    openapi_extra=proved(*m.SAMPLE_TYPES),
    response_model_exclude_none=True,
    responses=faults(*PROVED, 410, *PICTURE),
)
def answer_with_picture(login_id: Name, phone: Phone, picture: Body, use: Use) -> m.PalmMessage:
    """Answer a login with a picture of a palm. It is forgotten at once."""
    state = use.logins.answer(
        phone, LoginId(login_id), lambda: use.acquisition.from_picture(picture)
    )
    return _palm(state)


@router.put(
    "/logins/{login_id}/template",
    tags=["login"],
    openapi_extra=proved(m.TEMPLATE_TYPE),
    response_model_exclude_none=True,
    responses=faults(*PROVED, 410, 413, 415, 422, 429),
)
def answer_with_template(login_id: Name, phone: Phone, data: Body, use: Use) -> m.PalmMessage:
    """Answer a login with a template made on the phone, where the operator accepts that."""
    state = use.logins.answer(
        phone,
        LoginId(login_id),
        lambda: use.acquisition.from_template(data),
        made_by_phone=True,
    )
    return _palm(state)


@router.post(
    "/logins/{login_id}/approve",
    tags=["login"],
    openapi_extra=proved(),
    response_model_exclude_none=True,
    responses=faults(*PROVED, 409, 410),
)
def approve(login_id: Name, phone: Approver, use: Use) -> m.StateMessage:
    """Say yes. The computer goes on, or waits for the code that is shown here."""
    return _state(use.logins.approve(phone, LoginId(login_id)), use)


@router.post(
    "/logins/{login_id}/decline",
    tags=["login"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 409, 410),
)
def decline(login_id: Name, phone: Phone, use: Use) -> m.HintMessage:
    """Say no: the application learns nothing but that."""
    return m.HintMessage(hint=use.logins.decline(phone, LoginId(login_id)).hint)


@router.post(
    "/logins/{login_id}/report",
    tags=["login"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 410),
)
def report(login_id: Name, phone: Phone, use: Use) -> m.HintMessage:
    """Say that somebody else began it: it ends, and what it gave already is revoked."""
    return m.HintMessage(hint=use.logins.report(phone, LoginId(login_id)).hint)


def _sample(shown: CapturedPalm, counts: SampleCounts) -> m.SampleMessage:
    return m.SampleMessage(hand=shown.hand, quality=shown.quality, samples=_counts(counts))


def _counts(counts: SampleCounts) -> m.CountsMessage:
    return m.CountsMessage(left=counts.left, right=counts.right)


def _palm(state: ClaimedLoginState) -> m.PalmMessage:
    retry = state.hint is Hint.PALM_RETRY
    return m.PalmMessage(hint=state.hint, attempts_left=state.attempts_left if retry else None)


def _state(state: ClaimedLoginState, use: Services) -> m.StateMessage:
    return m.StateMessage(
        hint=state.hint,
        expires_in=seconds_until(state.expires_at, use),
        confirmation_code=state.confirmation_code,
    )
