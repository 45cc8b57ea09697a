"""Shared by all routes: dependencies, body limits, response headers, what they raise."""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import Message as Headers
from functools import partial
from typing import Annotated, Any, Final, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Path, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import errors as refused
from mobile_api import errors as e
from mobile_api import messages as m
from mobile_api.account.deletion import DeletionService
from mobile_api.account.gate import AccountGate, PalmProofs
from mobile_api.account.phones import PhoneService, PhoneTrustService
from mobile_api.account.rules import Operation, refusals_of
from mobile_api.challenges.service import ChallengeService
from mobile_api.devices import DeviceService, NonceService, Proof
from mobile_api.enrolment.rules import Consent
from mobile_api.enrolment.service import EnrolmentService
from mobile_api.frames import ATTEMPT_FRAMES, FRAMES_TYPE, read_frames
from mobile_api.limits import BodyBudget, NetworkDigests
from mobile_api.login import LoginService
from mobile_api.messages import NONCE_HEADER, PROOF_HEADER
from mobile_api.provider import Provider
from mobile_api.push import PushService
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.stations import StationService, require_phone, require_place
from mobile_api.types import Clock, Device, DeviceId
from oidc.plumbing.cookies import set_cookie
from oidc.plumbing.login_watch import LoginWatch
from oidc.plumbing.rate_limit import RateLimit

JPEG_TYPE: Final = m.SAMPLE_TYPES[0]

JSON_TYPE: Final = "application/json"

ATTEMPT_BODY: Final = (
    "One to three pictures of one attempt, best first. Each is 6 bytes without meaning, the"
    " length (4 bytes, big-endian) and that many bytes of a picture."
)

STEP_BODY: Final = (
    "Three to five frames of a challenge's step. Each is the milliseconds since the step was"
    " received (4 bytes, big-endian), its phase (1 byte: 0 open, 1 moved, 2 back, 3 tilted), a"
    " byte without meaning, the length (4 bytes) and that many bytes of a JPEG."
)

Call = TypeVar("Call", bound=Callable[..., object])


def raises(*faults: type[Exception]) -> Callable[[Call], Call]:
    """Describe the errors of a route or dependency."""

    def describe(call: Call) -> Call:
        setattr(call, "faults", faults)  # noqa: B010 -- ``description`` reads it
        return call

    return describe


def body_of(kind: str, limit_bytes: int, text: str = "") -> dict[str, Any]:
    """Describe a body of one content type; of JPEG, PNG and WebP are accepted, too."""
    schema = {"type": "string", "format": "binary", "description": text}
    body = {"required": True, "content": {kind: {"schema": schema}}, "x-max-bytes": limit_bytes}
    return {"openapi_extra": {"requestBody": body}}


PICTURE_BODY: Final = body_of(
    JPEG_TYPE, m.SAMPLE_LIMIT_BYTES, "A JPEG. PNG and WebP are accepted under their own types."
)

FRAMES_BODY: Final = body_of(FRAMES_TYPE, m.SAMPLE_LIMIT_BYTES, ATTEMPT_BODY)

TEMPLATE_BODY: Final = body_of(
    m.TEMPLATE_TYPE, m.TEMPLATE_LIMIT_BYTES, "Templates of one palm, one after the other."
)

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
        raise e.TooManyRequests(wait_s)
    if registered:
        use_cases.devices.require(proof.device_id)
    return proof


@raises(e.InvalidProof, e.NonceNeeded, e.ClockSkew)
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


@raises(e.DeviceUnknown, e.StationOutsideNetworks)
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


@raises(e.StationRefused)
def device(found: Annotated[Device, Depends(claimant)]) -> Device:
    """Return the registered phone that signed. Raises StationRefused."""
    require_phone(found)
    return found


def pictures(request: Request, body: Annotated[bytes, Depends(raw_body)]) -> Sequence[bytes]:
    """Return the pictures of an attempt, best first. Raises InvalidRequest."""
    if content_type(request) != FRAMES_TYPE:
        return [body]
    try:
        return [frame.jpeg for frame in read_frames(body, ATTEMPT_FRAMES)]
    except ValueError as fault:
        raise e.InvalidRequest("these are not one to three frames") from fault


def allowed(operation: Operation) -> Any:  # noqa: ANN401 - a dependency
    """Depend on the phone that signed, if the account rules allow it this operation."""

    @raises(*refusals_of(operation))
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
Phone = Annotated[Device, Depends(device)]
Claimant = Annotated[Device, Depends(claimant)]
EarlierKey = Annotated[DeviceId | None, Depends(earlier_key)]

PALM_COMPARED: Final = (e.TooManyAttempts, refused.GalleryUnreachable, e.ServiceBusy)

PICTURE_SHOWN: Final = (
    *PALM_COMPARED,
    *(e.ChallengeNeeded, refused.SampleUnreadable, refused.SampleCmyk, refused.SampleTooLarge),
    *(refused.PalmNotFound, refused.BackOfHand, refused.QualityTooLow),
    refused.PresentationAttack,
)

TEMPLATE_SHOWN: Final = (
    *PALM_COMPARED,
    *(e.ChallengeNeeded, e.TemplateNotAccepted, refused.TemplateRefused),
    *(refused.ExtractorMismatch, refused.QualityTooLow),
)

PROVED: Final = (e.PalmProofExpired, e.DeviceUnbound)

PathId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="As in an earlier response.")
]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class TypedRoute(APIRoute):
    """A route that accepts only its documented content type, up to its size limit.

    Headers first: a body is read for who may send one, and while all bodies fit.
    """

    @property
    def is_signed(self) -> bool:
        """Whether a proof is needed."""
        return _depends_on(self.dependant, signer)

    @property
    def content_types(self) -> frozenset[str]:
        """Accepted content types; empty: the route has no body."""
        raw = frozenset(self._raw_body.get("content", {}))
        if JPEG_TYPE in raw:
            return frozenset(m.SAMPLE_TYPES)
        return raw or frozenset({JSON_TYPE} if self.body_field else ())

    @property
    def _raw_body(self) -> dict[str, Any]:
        found: dict[str, Any] = (self.openapi_extra or {}).get("requestBody", {})
        return found

    def get_route_handler(self) -> Handler:
        """Return the handler behind these checks."""
        handle, is_signed = super().get_route_handler(), self.is_signed
        types = self.content_types
        limit_bytes = self._raw_body.get("x-max-bytes", m.JSON_LIMIT_BYTES)
        is_registered = _depends_on(self.dependant, claimant)

        async def typed(request: Request) -> Response:
            use_cases: Services = request.app.state.services
            sent = content_type(request)
            if types and sent not in types:
                raise e.WrongContentType(f"this endpoint accepts {', '.join(sorted(types))}")
            if is_signed:
                is_long = limit_bytes > m.JSON_LIMIT_BYTES
                request.state.proof = await to_thread.run_sync(
                    partial(proof_of, request, use_cases, registered=is_registered),
                    limiter=use_cases.long_body_checks if is_long else None,
                )
            async with use_cases.bodies.read(request, limit_bytes) as body:
                return await handle(Request(request.scope, _replay(body)))

        return typed


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


def extractors_of(phone: Device, operation: Operation, use_cases: Services) -> list[str]:
    """Return the extractors whose templates this phone may send; none: other ways only."""
    gate = use_cases.gate
    if gate.demands_challenge(phone, operation) or not gate.takes_template(phone):
        return []
    enrols = operation in {Operation.ENROL, Operation.ADD_PALM}
    return use_cases.acquisition.extractors(enrols=enrols)


def seconds_until(at: datetime, use_cases: Services) -> int:
    """Return whole seconds until a time, never negative."""
    return max(0, int((at - use_cases.clock()).total_seconds()))
