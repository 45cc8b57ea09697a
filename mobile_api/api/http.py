"""Shared by all routes: dependencies, body limits, response headers, OpenAPI descriptions."""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import Message as Headers
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Path, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobile_api import messages as m
from mobile_api.account.deletion import DeletionService
from mobile_api.account.gate import AccountGate, PalmProofs
from mobile_api.account.phones import PhoneService, PhoneTrustService
from mobile_api.account.rules import Operation
from mobile_api.challenges.service import ChallengeService
from mobile_api.devices import DeviceService, NonceService, Proof
from mobile_api.enrolment.service import EnrolmentService
from mobile_api.errors import (
    InvalidRequest,
    TooManyRequests,
    WrongContentType,
)
from mobile_api.frames import ATTEMPT_FRAMES, FRAMES_LIMIT_BYTES, FRAMES_TYPE, read_frames
from mobile_api.limits import BodyBudget, NetworkDigests
from mobile_api.login import LoginService
from mobile_api.messages import NONCE_HEADER, PROOF_HEADER
from mobile_api.provider import Provider
from mobile_api.push import PushService
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.stations import StationService, require_phone, require_place
from mobile_api.types import (
    CapturedPalm,
    ChallengeId,
    Clock,
    Consent,
    Device,
    DeviceId,
    Purpose,
)
from oidc.plumbing.cookies import set_cookie
from oidc.plumbing.login_watch import LoginWatch
from oidc.plumbing.rate_limit import RateLimit

DESCRIPTION: Final = """
The API for phones. Every request marked with the header **DPoP** carries a proof: a JWT (`typ`
dpop+jwt, `alg` ES256, `jwk` the public P-256 key; claims `jti`, `htm`, `htu`, `iat`, `nonce`,
and `bh`, the base64url SHA-256 of the body, even if empty). Every response carries a new
**DPoP-Nonce**, which is valid once and for a minute. Errors are `{"error": code, "message":
text}`, some with a `hint` or `reason`. No response contains a comparison score.
"""

_PROOF: Final = {
    "name": m.PROOF_HEADER,
    "in": "header",
    "required": True,
    "schema": {"type": "string"},
    "description": "Proof of possession of the device key, over method, address and body.",
}

ERROR_CODES: Final = {
    400: "`body_incomplete`",
    401: "`use_dpop_nonce`, `invalid_dpop_proof`, `clock_skew`",
    403: "`device_unknown`, `device_unbound`, `phone_not_trusted`, `phone_owns_later`,"
    " `palm_mismatch`, `station_refused`, `station_elsewhere`, `station_code_wrong`,"
    " `palm_proof_expired`, `passkey_refused`, `passkey_needed`, `template_not_accepted`,"
    " `template_unmatched`,"
    " `recovery_code_wrong`, `challenge_needed`, `motions_code_needed`,"
    " `challenge_failed` (with reason), `presentation_attack`, `palm_disputed`",
    409: "`consent_changed`, `too_many_samples`, `too_few_samples`, `samples_repeat`,"
    " `samples_disagree`, `one_palm_twice`, `already_enrolled`, `already_claimed`,"
    " `not_from_station`,"
    " `challenge_off`, `wrong_state` (of a login with hint)",
    410: "`challenge_gone`, `enrolment_gone`, `ticket_stale`, `connection_gone`, `phone_gone`,"
    " `login_gone` (with hint if it is known how it ended)",
    413: "`body_too_large`",
    415: "`wrong_content_type`",
    422: "`invalid_request`; of a picture `sample_unreadable`, `sample_cmyk`,"
    " `sample_too_large`, `palm_not_found`, `back_of_hand`, `quality_too_low` (with reason);"
    " of a template `template_refused`, `extractor_mismatch`",
    429: "`too_many_attempts`, `too_many_requests`; see Retry-After",
    503: "`temporarily_unavailable`, `service_busy`, `gallery_unreachable`; see Retry-After",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the errors of a route by status; any may be without its databases."""
    return {
        status: {"model": m.ErrorMessage, "description": ERROR_CODES[status]}
        for status in (*statuses, 503)
    }


def signed(*statuses: int, body: Sequence[str] = ()) -> dict[str, Any]:
    """Document a signed request: errors besides 401 and 403, content types of a raw body."""
    extra: dict[str, Any] = {"parameters": [_PROOF]}
    if body:
        content = {each: {"schema": _schema(each)} for each in body}
        extra["requestBody"] = {"required": True, "content": content}
    return {"openapi_extra": extra, "responses": errors(401, 403, *statuses)}


FRAMES_BODY: Final = (
    "One to three pictures of an attempt, best first, or the frames of a challenge's step."
    " Each is the milliseconds since the step was received (4 bytes, big-endian), its phase"
    " (1 byte: 0 open, 1 moved, 2 back, 3 tilted), a byte without meaning, the length (4 bytes)"
    " and that many bytes of a picture. In an attempt times and phases do not count."
)


def _schema(content_type: str) -> dict[str, Any]:
    """Return the schema of a raw body; JSON is a challenge in place of a picture."""
    if content_type == "application/json":
        return m.ShowChallenge.model_json_schema()
    described = {"description": FRAMES_BODY} if content_type == FRAMES_TYPE else {}
    return {"type": "string", "format": "binary"} | described


SHOWN_TYPES: Final = (*m.SAMPLE_TYPES, "application/json")
"""A picture, or a challenge that was passed."""

ATTEMPT_TYPES: Final = (*SHOWN_TYPES, FRAMES_TYPE)
"""The same, or the frames of one attempt."""

PALM_TYPES: Final = (*ATTEMPT_TYPES, m.TEMPLATE_TYPE)
"""The same, or templates."""

BODY_ERRORS: Final = (400, 413, 415, 422)
SAMPLE_ERRORS: Final = (410, *BODY_ERRORS, 429)

PALM: Final = signed(*SAMPLE_ERRORS, body=PALM_TYPES)
"""A signed request that shows a palm."""


JSON_TYPES: Final = frozenset({"application/json"})

LIMITS_BYTES: Final = {
    "application/json": m.JSON_LIMIT_BYTES,
    m.TEMPLATE_TYPE: m.TEMPLATE_LIMIT_BYTES,
    FRAMES_TYPE: FRAMES_LIMIT_BYTES,
} | dict.fromkeys(m.SAMPLE_TYPES, m.SAMPLE_LIMIT_BYTES)
"""Longest body of each content type."""

LONG_BODY_CHECKS: Final = 2
"""Threads that check who sends a long body: a crowd of such requests leaves the others."""


PHONE_COOKIE: Final = "thenar-phone"
"""Names the key of a trusted phone; kept by browsers that delete what scripts stored.

It is not secret and proves nothing. Only this API gets it: the provider learns no keys.
"""

PHONE_COOKIE_S: Final = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Services:
    """All use cases, built by ``composition``."""

    devices: DeviceService
    networks: NetworkDigests
    device_rate: RateLimit
    bodies: BodyBudget
    long_body_checks: CapacityLimiter
    acquisition: Acquisition
    enrolments: EnrolmentService
    logins: LoginService
    login_watch: LoginWatch[int]
    challenges: ChallengeService
    palm_proofs: PalmProofs
    gate: AccountGate
    phones: PhoneService
    phone_trust: PhoneTrustService
    push: PushService
    provider: Provider
    deletion: DeletionService
    stations: StationService
    consents: Mapping[str, Consent]
    clock: Clock


async def services(request: Request) -> Services:
    """Return the use cases of this application.

    A coroutine, because FastAPI would run a plain function in a thread.
    """
    found: Services = request.app.state.services
    return found


async def raw_body(request: Request) -> bytes:
    """Return the body; its length was checked on arrival."""
    return await request.body()


def proof_of(request: Request, use_cases: Services, *, registered: bool) -> Proof:
    """Judge the headers of a signed request, before its body is read."""
    proofs = request.headers.getlist(PROOF_HEADER)
    proof = use_cases.devices.prove(proofs, request.method, request.scope["path"])
    if wait_s := use_cases.device_rate.count(proof.device_id):
        raise TooManyRequests(wait_s)
    if registered:
        use_cases.devices.require(proof.device_id)
    return proof


def signer(request: Request, body: Annotated[bytes, Depends(raw_body)]) -> DeviceId:
    """Return the key that signed this request, its body too."""
    proof: Proof = request.state.proof
    proof.require_body(body)
    return proof.device_id


async def address(request: Request) -> str | None:
    """Return the client address."""
    return None if request.client is None else request.client.host


async def earlier_key(request: Request) -> DeviceId | None:
    """Return the key that this browser had, by its cookie."""
    named = re.fullmatch(r"[\w-]{43}", request.cookies.get(PHONE_COOKIE, ""), re.ASCII)
    return DeviceId(named[0]) if named else None


def keep_name(response: Response, phone: Device, use_cases: Services) -> None:
    """Let the browser of a trusted phone keep the name of its key."""
    settings = use_cases.gate.settings
    if phone.is_trusted and phone.earlier != phone.device_id:
        set_cookie(
            response,
            PHONE_COOKIE,
            phone.device_id,
            PHONE_COOKIE_S,
            is_secure=settings.is_secure,
            path=settings.path + m.API_PREFIX,
        )


def claimant(
    device_id: Annotated[DeviceId, Depends(signer)],
    came_from: Annotated[str | None, Depends(address)],
    earlier: Annotated[DeviceId | None, Depends(earlier_key)],
    use_cases: Annotated[Services, Depends(services)],
) -> Device:
    """Return the registered phone that signed, with its networks, or a station in its own.

    As it is once the body is here: that may take a minute, in which it may be removed.

    Only what answers a login depends on this: see ``device``. Raises StationOutsideNetworks.
    """
    found = use_cases.devices.require(device_id)
    if found.station is not None:
        require_place(found.station, came_from)
        return found
    return replace(found, networks=use_cases.networks.of(came_from), earlier=earlier)


def device(found: Annotated[Device, Depends(claimant)]) -> Device:
    """Return the registered phone that signed. Raises StationRefused."""
    require_phone(found)
    return found


def passed_challenge(
    request: Request, body: Annotated[bytes, Depends(raw_body)]
) -> ChallengeId | None:
    """Return the challenge that is used in place of a picture; None if one was sent.

    Raises InvalidRequest.
    """
    if content_type(request) not in JSON_TYPES:
        return None
    try:
        return ChallengeId(UUID(m.ShowChallenge.model_validate_json(body).challenge))
    except ValidationError as fault:
        raise InvalidRequest("this is no picture and no challenge") from fault


def pictures(request: Request, body: Annotated[bytes, Depends(raw_body)]) -> Sequence[bytes]:
    """Return the pictures of an attempt, best first. Raises InvalidRequest."""
    if content_type(request) != FRAMES_TYPE:
        return [body]
    try:
        return [frame.jpeg for frame in read_frames(body, ATTEMPT_FRAMES)]
    except ValueError as fault:
        raise InvalidRequest("these are not one to three frames") from fault


def shown(operation: Operation) -> Any:  # noqa: ANN401 - a dependency
    """Depend on a call that reads the palm for an operation, however the phone shows it.

    Raises ChallengeNeeded or TemplateNotAccepted.
    """

    def read(
        request: Request,
        body: Annotated[bytes, Depends(raw_body)],
        images: Annotated[Sequence[bytes], Depends(pictures)],
        phone: Annotated[Device, Depends(device)],
        passed: Annotated[ChallengeId | None, Depends(passed_challenge)],
        use_cases: Annotated[Services, Depends(services)],
    ) -> Callable[[], CapturedPalm]:
        if passed is not None:
            return lambda: use_cases.challenges.attempt(phone, passed, Purpose.PALM_PROOF)
        use_cases.gate.require_still(phone, operation)
        if content_type(request) == m.TEMPLATE_TYPE:
            use_cases.gate.require_template(phone)
            return lambda: use_cases.acquisition.from_template(body, most=ATTEMPT_FRAMES)
        return lambda: use_cases.acquisition.from_frames(images)

    return Depends(read)


def allowed(operation: Operation) -> Any:  # noqa: ANN401 - a dependency
    """Depend on the phone that signed, if the account rules allow it this operation."""

    def check(
        phone: Annotated[Device, Depends(claimant)],
        use_cases: Annotated[Services, Depends(services)],
    ) -> Device:
        use_cases.gate.require(phone, operation)
        return phone

    setattr(check, "operation", operation)  # noqa: B010 -- a test reads it
    return Depends(check)


ServicesDep = Annotated[Services, Depends(services)]
Body = Annotated[bytes, Depends(raw_body)]
Signer = Annotated[DeviceId, Depends(signer)]
Address = Annotated[str | None, Depends(address)]
Pictures = Annotated[Sequence[bytes], Depends(pictures)]
PassedChallenge = Annotated[ChallengeId | None, Depends(passed_challenge)]
Phone = Annotated[Device, Depends(device)]
Claimant = Annotated[Device, Depends(claimant)]
EarlierKey = Annotated[DeviceId | None, Depends(earlier_key)]

PathId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="As in an earlier response.")
]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class TypedRoute(APIRoute):
    """A route that accepts only its documented content types, up to their size limits.

    Headers first: a body is read for who may send one, and while all bodies fit.
    """

    def get_route_handler(self) -> Handler:
        """Return the handler behind these checks."""
        handle, types = super().get_route_handler(), self._content_types()
        is_signed = _depends_on(self.dependant, signer)
        is_registered = _depends_on(self.dependant, claimant)

        async def typed(request: Request) -> Response:
            use_cases: Services = request.app.state.services
            sent = content_type(request)
            if types and sent not in types:
                raise WrongContentType(f"this endpoint accepts {', '.join(sorted(types))}")
            limit_bytes = _limit_bytes(sent, types)
            if is_signed:
                is_long = limit_bytes > m.JSON_LIMIT_BYTES
                request.state.proof = await to_thread.run_sync(
                    partial(proof_of, request, use_cases, registered=is_registered),
                    limiter=use_cases.long_body_checks if is_long else None,
                )
            async with use_cases.bodies.read(request, limit_bytes) as body:
                return await handle(Request(request.scope, _replay(body)))

        return typed

    def _content_types(self) -> frozenset[str]:
        raw = (self.openapi_extra or {}).get("requestBody", {}).get("content", {})
        return frozenset(raw) or (JSON_TYPES if self.body_field else frozenset())


def _limit_bytes(sent: str, types: Set[str]) -> int:
    """Return the longest body of a route; the frames of an attempt together are one picture."""
    if sent == FRAMES_TYPE and types >= set(m.SAMPLE_TYPES):
        return m.SAMPLE_LIMIT_BYTES
    return LIMITS_BYTES[sent] if types else m.JSON_LIMIT_BYTES


def _depends_on(dependant: Dependant, call: Callable[..., object]) -> bool:
    return any(each.call is call or _depends_on(each, call) for each in dependant.dependencies)


def _replay(body: bytes) -> Receive:

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def content_type(request: Request) -> str:
    """Return the media type without parameters, lower case; empty if none."""
    value = request.headers.get("content-type")
    if value is None:
        return ""
    headers = Headers()
    headers["content-type"] = value
    return headers.get_content_type()


class AnswerHeaders:
    """Adds a new nonce to every response and forbids caching."""

    def __init__(self, app: ASGIApp, nonces: NonceService) -> None:
        self._app, self._nonces = app, nonces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[NONCE_HEADER] = self._nonces.issue()
                headers.setdefault("Cache-Control", "no-store")
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        await self._app(scope, receive, with_headers)


def seconds_until(at: datetime, use_cases: Services) -> int:
    """Return whole seconds until a time, never negative."""
    return max(0, int((at - use_cases.clock()).total_seconds()))
