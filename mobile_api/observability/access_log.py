"""Records each request: a line in the access log.

The log has method, route, status, error code and duration. Not the path, which may contain
names or secrets, and not the client. Each request gets an id in its log lines and in
``X-Request-Id``; an id sent by the client is ignored. Metrics count here, too: every layer
costs each request.
"""

import json
import logging
import secrets
from collections.abc import Callable, Iterable
from http import HTTPMethod
from itertools import count
from time import perf_counter
from typing import Final
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobile_api.observability.logging import REQUEST, LogFields, SafeValue, SafeWord

LOGGER: Final = logging.getLogger("thenar.access")

_HEADER: Final = b"x-request-id"
_PREFIX_BYTES: Final = 6

CountResponse = Callable[[str, str, int, float], None]
"""Given method, route, status and seconds until the first byte."""

NO_STATUS: Final = 0
"""Status of a request that was cut off before a response."""


class Route(SafeValue):
    """The route template; ``none`` for every other path."""

    NONE = "none"

    def __init__(self, scope: Scope) -> None:
        path = getattr(scope.get("route"), "path", None)
        self._path = path if isinstance(path, str) else self.NONE

    def __str__(self) -> str:
        return self._path


def method_of(scope: Scope) -> HTTPMethod | SafeWord:
    """Return the request's method; "other" for any that HTTP does not define."""
    return HTTPMethod.__members__.get(scope["method"]) or SafeWord("other")


def request_ids() -> Callable[[], str]:
    """Return a generator of ids: 48 random bits of this process and a number."""
    prefix, numbers = secrets.token_hex(_PREFIX_BYTES), count(1)
    return lambda: f"{prefix}-{next(numbers)}"


class AccessLog:
    """Gives requests an id, counts each by its first byte and logs it when it is over."""

    def __init__(
        self,
        app: ASGIApp,
        new_name: Callable[[], str] | None = None,
        count_response: CountResponse | None = None,
    ) -> None:
        self._app, self._new_name = app, new_name or request_ids()
        self._count_response = count_response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, began, status, error = self._new_name(), perf_counter(), NO_STATUS, ""

        async def named(message: Message) -> None:
            nonlocal status, error
            if message["type"] == "http.response.start":
                status, headers = message["status"], message.get("headers", ())
                if self._count_response is not None:
                    method, route = str(method_of(scope)), str(Route(scope))
                    self._count_response(method, route, status, perf_counter() - began)
                error = _error_in_headers(headers) if status >= 300 else ""
                message = {**message, "headers": [*headers, (_HEADER, name.encode())]}
            elif status >= 400:
                error = error or _error_in_body(message.get("body", b""))
            await send(message)

        # For error pages: people tell it to support.
        scope["state"] = {**scope.get("state", {}), "request_name": name}
        token = REQUEST.set(name)
        try:
            await self._app(scope, receive, named)
        finally:
            _write(scope, status, error, perf_counter() - began)
            REQUEST.reset(token)


def _write(scope: Scope, status: int, error: str, seconds: float) -> None:
    refused = {"error": SafeWord(error)} if error else {}
    fields = LogFields(
        method=method_of(scope),
        route=Route(scope),
        status=status,
        **refused,
        milliseconds=round(1000 * seconds, 1),
    )
    # Made directly: looking for the calling line costs more than the rest.
    record = LOGGER.makeRecord(
        LOGGER.name, logging.INFO, "", 0, "answered", (), None, extra={"fields": fields}
    )
    if LOGGER.isEnabledFor(record.levelno):
        LOGGER.handle(record)


def _error_in_body(body: bytes) -> str:
    """Return the code of an error response: a word of the source code, never of the request."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, LookupError, TypeError):
        return ""
    return str(error)


def _error_in_headers(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the code of an error page, or the one that an app gets. RFC 6749 §4.1.2.1."""
    given = {name.lower(): value.decode("latin-1") for name, value in headers}
    query = given.get(b"location", "").partition("?")[2]
    return given.get(b"x-error") or dict(parse_qsl(query)).get("error", "")
