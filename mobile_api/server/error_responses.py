"""Turns exceptions into HTTP responses: the only place that chooses a status.

A response has a stable code, a hint or reason, and a sentence; never parts of the request.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import (
    EngineError,
    ExtractorMismatch,
    FailureToAcquire,
    GalleryUnreachable,
    PresentationAttack,
    SampleRefused,
    TemplateRefused,
)
from mobile_api import errors as e
from mobile_api.messages import ErrorMessage
from mobile_api.observability.logging import ErrorTrace
from oidc.errors import (
    AlreadyClaimed,
    DatabaseUnavailable,
    LinkedClientGone,
    LoginGone,
    NotFromStation,
    OidcError,
    TicketStale,
    WrongState,
)

LOGGER: Final = logging.getLogger("thenar.mobile")

RETRY_AFTER_S: Final = 5
"""Retry-After of every 503."""

HandledError = e.MobileError | EngineError | OidcError
"""The exceptions a route may raise."""

_BY_STATUS: Final[Mapping[int, Sequence[type[Exception]]]] = {
    400: [e.BodyIncomplete],
    401: [e.ProofRefused],
    403: [
        *(
            e.DeviceRefused,
            e.PalmMismatch,
            e.PalmDisputed,
            e.PalmProofExpired,
            PresentationAttack,
        ),
        *(e.RecoveryCodeWrong, e.PasskeyRefused, e.PasskeyNeeded, e.TemplateNotAccepted),
        *(e.ChallengeNeeded, e.ChallengeFailed, e.MotionsCodeNeeded),
    ],
    409: [
        *(e.EnrolmentRefused, e.ChallengeOff, e.WrongStep),
        *(AlreadyClaimed, NotFromStation, WrongState),
    ],
    410: [
        e.EnrolmentGone,
        e.PhoneGone,
        e.ChallengeGone,
        LoginGone,
        TicketStale,
        LinkedClientGone,
    ],
    413: [e.BodyTooLarge],
    415: [e.WrongContentType],
    422: [
        *(e.InvalidRequest, SampleRefused, FailureToAcquire),
        *(TemplateRefused, ExtractorMismatch),
    ],
    429: [e.TooManyAttempts, e.TooManyRequests],
    503: [e.ServiceBusy, GalleryUnreachable, DatabaseUnavailable],
}

STATUS: Final = {kind: status for status, kinds in _BY_STATUS.items() for kind in kinds}
"""Status by error class, subclasses included. Any other error is 500 without details."""

TEXTS: Final[Mapping[str, str]] = {
    "sample_too_large": "The picture has too many pixels.",
    "sample_unreadable": "The picture is damaged, or not JPEG, PNG or WebP.",
    "sample_cmyk": "The picture has the colours of printing (CMYK). Save it as RGB.",
    "palm_not_found": "No palm was found in the picture.",
    "back_of_hand": "This is the back of your hand. Show your palm.",
    "presentation_attack": "This picture cannot be used. Show your own hand.",
    "quality_too_low": "The picture of the palm is not good enough.",
    "template_refused": "This is not a valid template.",
    "extractor_mismatch": "The template was made by another version: update the app.",
    "gallery_unreachable": "Palms cannot be searched right now. Try again in a moment.",
    "temporarily_unavailable": "The service is temporarily unavailable. Try again in a moment.",
    "login_gone": "This sign-in is over. Start again on the computer.",
    "ticket_stale": "This QR code has expired. Scan the one on the screen.",
    "connection_gone": "You are not connected to this app.",
    "already_claimed": "Another phone is answering this sign-in.",
    "not_from_station": "This sign-in did not begin at this station, or its app accepts none.",
    "wrong_state": "This step is not possible now.",
}
"""Sentences for errors of the engine and the provider; ours carry theirs."""


MORE: Final = ("hint", "reason", "dispute_code", "others")
"""What some exceptions say besides their code."""


def status_of(fault: type[Exception]) -> int:
    """Return the HTTP status of a class of exceptions."""
    return next((STATUS[kind] for kind in fault.__mro__ if kind in STATUS), 500)


def error_response(fault: Exception) -> JSONResponse:
    """Return the response for an exception."""
    status = status_of(type(fault))
    if status == 500 or not isinstance(fault, HandledError):
        sorry = "Something went wrong on our side. Try again later."
        return _response(500, ErrorMessage(error="server_error", message=sorry))
    text = str(fault) if isinstance(fault, e.MobileError) else TEXTS.get(fault.code, fault.code)
    headers = {}
    if isinstance(fault, e.ProofRefused):
        headers["WWW-Authenticate"] = f'DPoP error="{fault.code}", algs="ES256"'
    if status in {429, 503}:
        headers["Retry-After"] = str(getattr(fault, "retry_after_s", RETRY_AFTER_S))
    more: dict[str, Any] = {name: getattr(fault, name, None) for name in MORE}
    return _response(status, ErrorMessage(error=fault.code, message=text, **more), headers)


def _response(
    status: int, body: ErrorMessage, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(body.model_dump(exclude_none=True), status, headers)


def install(app: FastAPI) -> None:
    """Install the exception handlers of an application."""

    def on_error(_request: Request, fault: Exception) -> JSONResponse:
        if status_of(type(fault)) == 500:
            log_error(fault)
        return error_response(fault)

    def on_validation(_request: Request, fault: Exception) -> JSONResponse:
        # The default response repeats the input, and NaN in it is not valid JSON.
        return error_response(
            e.InvalidRequest("a field is missing, unknown, too long or malformed")
        )

    def on_http(request: Request, fault: Exception) -> JSONResponse:
        status = fault.status_code if isinstance(fault, HTTPException) else 500
        if status == 400:  # a body that cannot even be parsed
            return on_validation(request, fault)
        headers = fault.headers if isinstance(fault, HTTPException) else None
        code, text = HTTP_ERRORS.get(status, ("invalid_request", "The request is malformed."))
        return _response(status, ErrorMessage(error=code, message=text), headers)

    for kind in (e.MobileError, EngineError, OidcError):
        app.add_exception_handler(kind, on_error)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)


HTTP_ERRORS: Final = {
    404: ("not_found", "Not found."),
    405: ("method_not_allowed", "Method not allowed."),
}
"""Errors that the framework finds."""


def log_error(fault: BaseException) -> None:
    """Log classes and places of an exception, not its message, which may quote data."""
    LOGGER.error("unexpected fault: %s", ErrorTrace(fault))


class ResponseStart:
    """A ``send`` that records whether the response has started."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = False

    async def __call__(self, message: Message) -> None:
        """Send one message."""
        self.has_started = self.has_started or message["type"] == "http.response.start"
        await self._send(message)


class UnhandledErrors:
    """Logs any other exception without its message and responds 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        tracked = ResponseStart(send)
        try:
            await self._app(scope, receive, tracked)
        except Exception as fault:
            log_error(fault)
            if not tracked.has_started and scope["type"] == "http":
                await error_response(fault)(scope, receive, tracked)
