"""Routes of devices, enrolment and logins under ``/mobile/v1``. No rules here."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    Address,
    Body,
    PassedChallenge,
    PathId,
    Phone,
    Services,
    ServicesDep,
    Signer,
    TypedRoute,
    allowed,
    seconds_until,
)
from mobile_api.api.login_events import login_events
from mobile_api.api.openapi import BODY_ERRORS, SAMPLE_ERRORS, SHOWN_TYPES, errors, signed
from mobile_api.enrolment import consent as consents
from mobile_api.enrolment.rules import SAMPLES_NEEDED
from mobile_api.types import CapturedPalm, Device, EnrolmentId, Purpose, SampleCounts
from oidc.types import (
    ClaimedLoginState,
    LoginId,
    NextStep,
    Ticket,
)

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
    services.enrolments.require_room(phone, enrolment)
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
    counts = services.enrolments.add_sample(phone, EnrolmentId(enrolment_id), captured)
    return _sample(captured, counts)


@router.post(
    "/enrolments/{enrolment_id}/finish", status_code=201, tags=["enrolment"], **signed(409, 410)
)
def finish_enrolment(
    enrolment_id: PathId, phone: Phone, services: ServicesDep
) -> m.EnrolledMessage:
    """Enrol the samples. Refusals never say whose palm matched."""
    enrolled = services.enrolments.finish(phone, EnrolmentId(enrolment_id))
    owner = services.devices.require(phone.device_id)
    return m.EnrolledMessage(
        enrolled=_counts(enrolled),
        palm_proof=services.palm_proofs.issue(owner).text,
        recovery_code=services.phone_trust.code_at_enrolment(owner, EnrolmentId(enrolment_id)),
    )


@router.post("/logins", tags=["login"], **signed(409, 410, *BODY_ERRORS))
def open_login(
    message: m.OpenLogin, phone: Phone, services: ServicesDep, address: Address
) -> m.LoginMessage:
    """Claim a login by the ticket of a QR code. The same phone may claim it again."""
    login = services.logins.open(phone, Ticket(message.ticket), address)
    return m.LoginMessage(
        login_id=login.login_id,
        client_name=login.client_name,
        client_host=login.client_host,
        scope=list(login.scope),
        expires_in=seconds_until(login.expires_at, services),
        hint=login.hint,
        page_url=login.page_url,
        asked_from=m.RequestOriginMessage(
            browser=login.origin.browser, system=login.origin.system, network=login.network
        ),
        asked_ago=max(0, int((services.clock() - login.asked_at).total_seconds())),
        asks_code=login.may_ask_code,
        requires_trusted_phone=login.requires_trusted_phone,
        registered_itself=login.registered_itself,
        challenge=services.gate.demands_challenge(phone, Operation.SIGN_IN),
    )


@router.get(
    "/logins/{login_id}", tags=["login"], response_model_exclude_none=True, **signed(410)
)
def get_login(login_id: PathId, phone: Phone, services: ServicesDep) -> m.StateMessage:
    """Return the state of a login, even after it ended."""
    return _state(services.logins.look(phone, LoginId(login_id)), services)


@router.get(
    "/logins/{login_id}/events",
    tags=["login"],
    response_class=StreamingResponse,
    **signed()
    | {
        "responses": {
            200: {"content": {"text/event-stream": {}}, "description": "a state in each event"},
            **errors(401, 403, 410),
        }
    },
)
async def watch_login(
    login_id: PathId, phone: Phone, services: ServicesDep
) -> StreamingResponse:
    """Stream the state of a login, now and after each change, until it is over."""
    awaited = LoginId(login_id)
    look = partial(services.logins.look, phone, awaited)
    return login_events(
        services.login_watch,
        awaited,
        await run_in_threadpool(look),
        look,
        lambda state: _state(state, services).model_dump_json(exclude_none=True),
        lambda state: (state.expires_at - services.clock()).total_seconds(),
    )


@router.put(
    "/logins/{login_id}/palm",
    tags=["login"],
    response_model_exclude_none=True,
    **signed(*SAMPLE_ERRORS, body=SHOWN_TYPES),
)
def answer_with_palm(
    login_id: PathId,
    phone: Phone,
    body: Body,
    passed: PassedChallenge,
    services: ServicesDep,
) -> m.PalmMessage:
    """Answer a login with a picture, discarded at once, or with a challenge that was passed."""

    def read() -> CapturedPalm:
        if passed is None:
            return services.acquisition.from_picture(body)
        return services.challenges.redeem(phone, passed, Purpose.LOGIN, login_id)[0]

    if passed is None:
        services.gate.require_still(phone, Operation.SIGN_IN)
    login = LoginId(login_id)
    return _palm(services.logins.answer(phone, login, read, challenged=passed is not None))


@router.put(
    "/logins/{login_id}/template",
    tags=["login"],
    response_model_exclude_none=True,
    **signed(410, *BODY_ERRORS, 429, body=[m.TEMPLATE_TYPE]),
)
def answer_with_template(
    login_id: PathId, phone: Phone, data: Body, services: ServicesDep
) -> m.PalmMessage:
    """Answer a login with a template made on the phone, if the operator accepts that."""
    services.gate.require_still(phone, Operation.SIGN_IN)
    state = services.logins.answer(
        phone,
        LoginId(login_id),
        lambda: services.acquisition.from_template(data),
        made_by_phone=True,
    )
    return _palm(state)


@router.post(
    "/logins/{login_id}/approve",
    tags=["login"],
    response_model_exclude_none=True,
    **signed(409, 410),
)
def approve(
    login_id: PathId,
    phone: Annotated[Device, allowed(Operation.SIGN_IN)],
    services: ServicesDep,
) -> m.StateMessage:
    """Approve a login. The browser continues, or waits for the code shown here."""
    return _state(services.logins.approve(phone, LoginId(login_id)), services)


@router.post("/logins/{login_id}/decline", tags=["login"], **signed(409, 410))
def decline(login_id: PathId, phone: Phone, services: ServicesDep) -> m.HintMessage:
    """Decline a login; the client learns only that."""
    return m.HintMessage(hint=services.logins.decline(phone, LoginId(login_id)).hint)


@router.post("/logins/{login_id}/report", tags=["login"], **signed(410))
def report(login_id: PathId, phone: Phone, services: ServicesDep) -> m.HintMessage:
    """Report a login that somebody else started: it ends, and what it issued is revoked."""
    return m.HintMessage(hint=services.logins.report(phone, LoginId(login_id)).hint)


def _enrolling(phone: Device) -> Operation:
    return Operation.ADD_PALM if phone.is_trusted else Operation.ENROL


def _sample(captured: CapturedPalm, counts: SampleCounts) -> m.SampleMessage:
    return m.SampleMessage(
        hand=captured.hand, quality=captured.quality, samples=_counts(counts)
    )


def _counts(counts: SampleCounts) -> m.CountsMessage:
    return m.CountsMessage(left=counts.left, right=counts.right)


def _palm(state: ClaimedLoginState) -> m.PalmMessage:
    retry = state.hint is NextStep.PALM_RETRY
    return m.PalmMessage(hint=state.hint, attempts_left=state.attempts_left if retry else None)


def _state(state: ClaimedLoginState, services: Services) -> m.StateMessage:
    return m.StateMessage(
        hint=state.hint,
        expires_in=seconds_until(state.expires_at, services),
        confirmation_code=state.confirmation_code,
    )
