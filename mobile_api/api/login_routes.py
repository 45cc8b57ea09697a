"""Routes of logins, and the state of one as a stream of server-sent events. No rules here."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from mobile_api import errors as e
from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.account_messages import ProvedByPalm
from mobile_api.api.http import (
    FRAMES_BODY,
    PALM_COMPARED,
    PICTURE_BODY,
    PICTURE_SHOWN,
    PROVED,
    TEMPLATE_BODY,
    TEMPLATE_SHOWN,
    Address,
    Body,
    Claimant,
    PathId,
    Phone,
    Pictures,
    Services,
    ServicesDep,
    TypedRoute,
    allowed,
    extractors_of,
    raises,
    seconds_until,
)
from mobile_api.challenges.shown import Shown, ShownChallenge, ShownPictures, ShownTemplates
from mobile_api.types import Device, Purpose
from oidc import errors as o
from oidc.types import OPEN_STATES, ClaimedLoginState, Level, LoginId, NextStep, Ticket

HEARTBEAT_S: Final = 15.0
"""A line now and then, so that proxies keep the connection and a lost one is noticed."""

EVENTS: Final = {
    "type": "string",
    "contentMediaType": "application/json",
    "contentSchema": {"$ref": "#/components/schemas/StateMessage"},
}

SHORT: Final[dict[str, Any]] = {"response_model_exclude_none": True}

_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


router: Final = APIRouter(
    prefix=f"{m.API_PREFIX}/logins", tags=["login"], route_class=TypedRoute
)


@router.post("")
@raises(
    *(o.TicketStale, o.AlreadyClaimed, o.NotFromStation, o.LoginGone),
    *(e.DeviceUnbound, e.PhoneNotTrusted),
)
def open_login(
    message: m.OpenLogin, phone: Claimant, services: ServicesDep, address: Address
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
        asked_ago=max(0, int((services.clock() - login.opened_at).total_seconds())),
        asks_code=login.may_ask_code,
        requires_trusted_phone=Level.PALM not in login.accepts,
        registered_itself=login.registered_itself,
        client_logo=login.client_logo,
        verifies=login.account is not None,
        challenge=services.gate.demands_challenge(phone, Operation.SIGN_IN),
        extractors=extractors_of(phone, Operation.SIGN_IN, services),
    )


@router.get("/{login_id}", **SHORT)
@raises(o.LoginGone)
def get_login(login_id: PathId, phone: Claimant, services: ServicesDep) -> m.StateMessage:
    """Return the state of a login, even after it ended."""
    return _state(services.provider.get_state(LoginId(login_id), phone.device_id), services)


@router.get(
    "/{login_id}/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The state now and after each change: `data: ` and a StateMessage.",
            "content": {"text/event-stream": {"schema": EVENTS}},
        }
    },
)
@raises(o.LoginGone)
async def watch_login(
    login_id: PathId, phone: Claimant, services: ServicesDep
) -> StreamingResponse:
    """Stream the state of a login, now and after each change, until it is over."""
    look = partial(services.provider.get_state, LoginId(login_id), phone.device_id)
    first = await run_in_threadpool(look)
    events = _events(services, LoginId(login_id), first, look)
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)


async def _events(
    services: Services,
    login_id: LoginId,
    state: ClaimedLoginState,
    look: Callable[[], ClaimedLoginState],
) -> AsyncIterator[str]:
    """Yield a state now, and what ``look`` reads each time it changes, until the login ends."""

    def seconds_left() -> float:
        return (state.expires_at - services.clock()).total_seconds()

    subscription = services.login_watch.subscribe(login_id, state.seq)
    try:
        yield _event(state, services)
        while subscription is not None and state.state in OPEN_STATES:
            is_changed = await subscription.change(min(HEARTBEAT_S, seconds_left() + 0.1))
            if subscription.is_closed:
                return
            if not is_changed and seconds_left() > 0:
                yield ": waiting\n\n"
                continue
            state = await run_in_threadpool(look)
            subscription.state = state.seq
            yield _event(state, services)
    except o.LoginGone:
        return
    finally:
        if subscription is not None:
            services.login_watch.unsubscribe(subscription)


@router.put("/{login_id}/frames", name="answer_with_frames", **SHORT, **FRAMES_BODY)
@router.put("/{login_id}/palm", **SHORT, **PICTURE_BODY)
@raises(o.LoginGone, e.PalmDisputed, *PICTURE_SHOWN)
def answer_with_picture(
    login_id: PathId, phone: Claimant, images: Pictures, services: ServicesDep
) -> m.PalmMessage:
    """Answer a login with a picture, or up to three of one palm, discarded at once."""
    services.gate.require_still(phone, Operation.SIGN_IN)
    return _answer(phone, login_id, ShownPictures(images), services)


@router.put("/{login_id}/template", **SHORT, **TEMPLATE_BODY)
@raises(o.LoginGone, e.PalmDisputed, e.TemplateUnmatched, *TEMPLATE_SHOWN)
def answer_with_template(
    login_id: PathId, phone: Claimant, data: Body, services: ServicesDep
) -> m.PalmMessage:
    """Answer a login with up to three templates of one palm, if the operator accepts them."""
    services.gate.require_still(phone, Operation.SIGN_IN)
    return _answer(phone, login_id, ShownTemplates(data), services)


@router.put("/{login_id}/challenge", **SHORT)
@raises(o.LoginGone, e.PalmDisputed, e.ChallengeGone, *PALM_COMPARED)
def answer_with_challenge(
    login_id: PathId, message: m.ShowChallenge, phone: Claimant, services: ServicesDep
) -> m.PalmMessage:
    """Answer a login with the palm that passed a challenge for it."""
    passed = ShownChallenge(message.challenge_id, Purpose.LOGIN, login_id)
    return _answer(phone, login_id, passed, services)


def _answer(phone: Device, login_id: str, shown: Shown, services: Services) -> m.PalmMessage:
    answered = services.logins.answer(phone, LoginId(login_id), shown)
    return _palm(answered.state, answered.palm_proof)


@router.put("/{login_id}/palm-proof", **SHORT)
@raises(o.LoginGone, e.PhoneNotTrusted, *PROVED)
def answer_with_palm_proof(
    login_id: PathId, message: ProvedByPalm, phone: Phone, services: ServicesDep
) -> m.PalmMessage:
    """Answer a login with the palm that was shown for it, now that this phone is trusted."""
    login = LoginId(login_id)
    return _palm(services.logins.answer_proved(phone, login, message.palm_proof))


@router.post("/{login_id}/approve", **SHORT)
@raises(o.LoginGone, o.WrongState)
def approve_login(
    login_id: PathId,
    phone: Annotated[Device, allowed(Operation.SIGN_IN)],
    services: ServicesDep,
) -> m.StateMessage:
    """Approve a login. The browser continues, or waits for the code shown here."""
    return _state(services.provider.approve(LoginId(login_id), phone.device_id), services)


@router.post("/{login_id}/decline")
@raises(o.LoginGone, o.WrongState)
def decline_login(login_id: PathId, phone: Claimant, services: ServicesDep) -> m.HintMessage:
    """Decline a login; the client learns only that."""
    ended = services.provider.decline(LoginId(login_id), phone.device_id)
    return m.HintMessage(hint=ended.hint)


@router.post("/{login_id}/report")
@raises(o.LoginGone)
def report_login(login_id: PathId, phone: Claimant, services: ServicesDep) -> m.HintMessage:
    """Report a login that another person started: it ends, and what it issued is revoked."""
    ended = services.provider.report(LoginId(login_id), phone.device_id)
    return m.HintMessage(hint=ended.hint)


def _palm(state: ClaimedLoginState, palm_proof: str | None = None) -> m.PalmMessage:
    retry = state.hint is NextStep.PALM_RETRY
    left = state.attempts_left if retry else None
    return m.PalmMessage(
        hint=state.hint, attempts_left=left, palm_proof=palm_proof, familiar=state.familiar
    )


def _event(state: ClaimedLoginState, services: Services) -> str:
    return f"data: {_state(state, services).model_dump_json(exclude_none=True)}\n\n"


def _state(state: ClaimedLoginState, services: Services) -> m.StateMessage:
    return m.StateMessage(
        hint=state.hint,
        expires_in=seconds_until(state.expires_at, services),
        confirmation_code=state.confirmation_code,
    )
