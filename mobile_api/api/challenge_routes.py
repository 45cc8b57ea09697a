"""Routes of challenges. No rules here."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path

from engine import errors as refused
from mobile_api import errors as e
from mobile_api import messages as m
from mobile_api.api.http import (
    STEP_BODY,
    Body,
    Claimant,
    PathId,
    Services,
    ServicesDep,
    TypedRoute,
    body_of,
    raises,
)
from mobile_api.challenges.service import NextStep, Wanted
from mobile_api.frames import FRAMES_LIMIT_BYTES, FRAMES_TYPE, read_frames
from mobile_api.stations import require_phone
from mobile_api.types import ChallengeId, Device, EnrolmentId, Purpose
from oidc.errors import LoginGone
from oidc.types import LoginId

router: Final = APIRouter(prefix=f"{m.API_PREFIX}/challenges", route_class=TypedRoute)


@router.post("", status_code=201, tags=["challenges"])
@raises(
    *(e.ChallengeOff, e.ChallengeGone, e.MotionsCodeNeeded, e.TooManyAttempts),
    *(LoginGone, e.EnrolmentGone, e.StationRefused),
)
def begin_challenge(
    message: m.BeginChallenge, phone: Claimant, services: ServicesDep
) -> m.ChallengeMessage:
    """Draw a challenge and return its first step; an earlier one of this phone ends."""
    _require_attempt(message, phone, services)
    wanted = Wanted(
        message.purpose, message.id or "", message.hand, message.cannot, message.motions_code
    )
    step = services.challenges.begin(phone, wanted)
    return m.ChallengeMessage(
        challenge_id=step.challenge_id.hex, steps=step.count, step=_step(step, services)
    )


@router.put(
    "/{challenge_id}/steps/{number}",
    tags=["challenges"],
    response_model_exclude_unset=True,
    **body_of(FRAMES_TYPE, FRAMES_LIMIT_BYTES, STEP_BODY),
)
@raises(
    *(e.ChallengeOff, e.ChallengeFailed, e.ChallengeGone, e.WrongStep),
    *(e.TooManyAttempts, e.ServiceBusy),
    *(refused.SampleUnreadable, refused.SampleCmyk, refused.SampleTooLarge),
)
def answer_step(
    challenge_id: PathId,
    number: Annotated[int, Path(ge=1, le=99)],
    phone: Claimant,
    body: Body,
    services: ServicesDep,
) -> m.ChallengeStepMessage:
    """Answer a step with its frames, which are discarded at once. Returns the next step."""
    try:
        frames, named = read_frames(body), ChallengeId(UUID(hex=challenge_id))
    except ValueError as fault:
        raise e.InvalidRequest("these are no frames of a step") from fault
    step = services.challenges.answer(phone, named, number, frames)
    if step is None:
        return m.ChallengeStepMessage(passed=True)
    return m.ChallengeStepMessage(step=_step(step, services))


def _require_attempt(message: m.BeginChallenge, phone: Device, services: Services) -> None:
    """Require that the login or enrolment of a challenge waits for this phone's palm."""
    if message.purpose is not Purpose.LOGIN:
        require_phone(phone)
    match message.purpose, message.id:
        case Purpose.LOGIN, str(login_id):
            services.logins.require_waiting(phone, LoginId(login_id))
        case Purpose.ENROLMENT, str(enrolment_id):
            services.enrolments.require_allowed(phone, EnrolmentId(enrolment_id))
        case Purpose.PALM_PROOF, None:
            pass
        case _:
            raise e.InvalidRequest("a login or enrolment must be named, and nothing else")


def _step(next_step: NextStep, services: Services) -> m.StepMessage:
    step, limit = next_step.step, services.challenges.step_limit
    return m.StepMessage(
        number=next_step.number,
        motion=step.motion,
        outline=m.OutlineMessage(x=step.outline.x, y=step.outline.y, size=step.outline.size),
        hold_ms=round(step.hold_s * 1000),
        tilt_deg=step.tilt_deg,
        answer_within_ms=round(limit.total_seconds() * 1000),
    )
