"""From a fault to an HTTP answer: the one place where a status is chosen.

An answer says what the phone may know: a stable code, a hint or a reason where there is one,
and a sentence for people. It never repeats what a request contained.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

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
    QualityTooLow,
    SampleRefused,
    TemplateRefused,
)
from mobile_api import errors as e
from mobile_api.messages import ErrorMessage
from mobile_api.observability.logging import ErrorTrace
from oidc.errors import (
    AlreadyClaimed,
    LinkedClientGone,
    LoginGone,
    OidcError,
    TicketStale,
    WrongState,
)

LOGGER: Final = logging.getLogger("thenar.mobile")

RETRY_AFTER_S: Final = 5
"""What a phone is told to wait when the service is busy."""

ATTEMPTS_RETRY_AFTER_S: Final = 3600
"""What a phone is told to wait that used up its palms: the day that counts moves on."""

HandledError = e.MobileError | EngineError | OidcError
"""What may reach a route."""

STATUS: Final[Mapping[type[Exception], int]] = {
    e.InvalidRequest: 422,
    e.WrongContentType: 415,
    e.BodyTooLarge: 413,
    e.ProofRefused: 401,
    e.DeviceRefused: 403,
    e.TooManyAttempts: 429,
    e.TooManyRequests: 429,
    e.ServiceBusy: 503,
    e.DeletionUnlisted: 503,
    GalleryUnreachable: 503,
    e.EnrolmentGone: 410,
    e.EnrolmentRefused: 409,
    e.PalmMismatch: 403,
    e.PalmProofExpired: 403,
    e.PasskeyRefused: 403,
    e.PasskeyNeeded: 403,
    e.TemplateNotAccepted: 403,
    SampleRefused: 422,
    FailureToAcquire: 422,
    TemplateRefused: 422,
    ExtractorMismatch: 422,
    LoginGone: 410,
    TicketStale: 410,
    LinkedClientGone: 410,
    AlreadyClaimed: 409,
    WrongState: 409,
}
"""Status of each fault a phone may cause; a class speaks for its subclasses. Every other fault
is ours: 500, and nothing is said about it."""

TEXTS: Final[Mapping[str, str]] = {
    "sample_too_large": "The picture has too many pixels.",
    "sample_unreadable": "The picture cannot be read: it is damaged, or no JPEG, PNG or WebP.",
    "palm_not_found": "No palm was found in the picture.",
    "back_of_hand": "This is the back of a hand; show the palm.",
    "quality_too_low": "The picture of the palm is not good enough.",
    "template_refused": "These bytes are no valid template.",
    "extractor_mismatch": "The template was made by another version: update the app.",
    "gallery_unreachable": "Palms cannot be looked for just now; try again in a moment.",
    "login_gone": "This request is over. Start again on the computer.",
    "ticket_stale": "This is an old picture of the code: scan the one on the screen.",
    "connection_gone": "This app does not know you, or not any longer.",
    "already_claimed": "Another phone is answering this request.",
    "wrong_state": "This is not the moment for that step.",
}
"""Sentences for faults of the engine and the provider; our own faults carry theirs."""


def status_of(fault: Exception) -> int:
    """Return the HTTP status of a fault."""
    for kind in type(fault).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return 500


def error_response(fault: Exception) -> JSONResponse:
    """Return the answer that tells a phone about a fault."""
    status = status_of(fault)
    if status == 500 or not isinstance(fault, HandledError):
        return _error_body(500, "server_error", "Something went wrong here; try again later.")
    hint = fault.hint if isinstance(fault, LoginGone | WrongState) else None
    reason = fault.reason.value if isinstance(fault, QualityTooLow) else None
    text = str(fault) if isinstance(fault, e.MobileError) else TEXTS.get(fault.code, fault.code)
    headers = {}
    if isinstance(fault, e.ProofRefused):
        headers["WWW-Authenticate"] = f'DPoP error="{fault.code}", algs="ES256"'
    if isinstance(fault, e.ServiceBusy):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    if isinstance(fault, e.TooManyRequests):
        headers["Retry-After"] = str(fault.retry_after_s)
    if isinstance(fault, e.TooManyAttempts):
        headers["Retry-After"] = str(ATTEMPTS_RETRY_AFTER_S)
    return _error_body(status, fault.code, text, headers, hint and hint.value, reason)


def _error_body(
    status: int,
    code: str,
    text: str,
    headers: Mapping[str, str] | None = None,
    hint: str | None = None,
    reason: str | None = None,
) -> JSONResponse:
    body = ErrorMessage(error=code, hint=hint, reason=reason, message=text)
    return JSONResponse(body.model_dump(exclude_none=True), status, headers)


def install(app: FastAPI) -> None:
    """Let an application answer faults in our way."""

    def on_error(_request: Request, fault: Exception) -> JSONResponse:
        if status_of(fault) == 500:
            log_error(fault)
        return error_response(fault)

    def on_validation(_request: Request, fault: Exception) -> JSONResponse:
        # The default answer repeats the input, and NaN in it cannot even be written as JSON.
        return error_response(
            e.InvalidRequest("a field is missing, unknown, too long or malformed")
        )

    def on_http(request: Request, fault: Exception) -> JSONResponse:
        status = fault.status_code if isinstance(fault, HTTPException) else 500
        if status == 400:  # a body that cannot even be parsed
            return on_validation(request, fault)
        headers = fault.headers if isinstance(fault, HTTPException) else None
        code, text = HTTP_ERRORS.get(status, ("invalid_request", "The request is malformed."))
        return _error_body(status, code, text, headers)

    for kind in (e.MobileError, EngineError, OidcError):
        app.add_exception_handler(kind, on_error)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)


HTTP_ERRORS: Final = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
}
"""Faults the framework finds itself."""


def log_error(fault: BaseException) -> None:
    """Log what went wrong and where; not the fault's own words, which may quote data."""
    LOGGER.error("unexpected fault: %s", ErrorTrace(fault))


class ResponseStart:
    """Sends messages on, and notes whether the answer has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = False

    async def __call__(self, message: Message) -> None:
        """Send one message."""
        self.has_started = self.has_started or message["type"] == "http.response.start"
        await self._send(message)


class UnhandledErrors:
    """Answers 500 to whatever no handler knows, and logs it without its words.

    This is the main loop of a request: the one place that catches everything.
    """

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
