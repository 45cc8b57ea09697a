"""Records each request: a line in the access log, and OpenTelemetry spans.

The log has method, route, status, error code and duration. Not the path, which may contain
names or secrets, and not the client. Each request gets an id in its log lines and in
``X-Request-Id``; an id sent by the client is ignored. Metrics count here, too: every layer
costs each request.

Spans are sent if the operator names a collector. ``AllowedSpans`` exports listed attributes
only, so that no library can send a query, header, parameter or error message. Incoming trace
ids are ignored. FastAPI's own telemetry, which would send queries, stays off.
"""

import json
import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import count
from time import perf_counter
from typing import Any, Final
from urllib.parse import parse_qsl

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from sqlalchemy import Engine, event
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobile_api.observability.health import LIVE, READY
from mobile_api.observability.logging import REQUEST, LogFields, SafeValue, SafeWord

LOGGER: Final = logging.getLogger("thenar.access")

_HEADER: Final = b"x-request-id"
_PREFIX_BYTES: Final = 6

CountResponse = Callable[[str, str, int, float], None]
"""Given method, route, status and seconds until the first byte."""

NO_STATUS: Final = 0
"""Status of a request that was cut off before a response."""


class Method(StrEnum):
    """The methods that are logged; every other is ``other``."""

    GET = "GET"
    HEAD = "HEAD"
    POST = "POST"
    PUT = "PUT"
    DELETE = "DELETE"
    OPTIONS = "OPTIONS"
    OTHER = "other"


class Route(SafeValue):
    """The route template; ``none`` for every other path."""

    NONE = "none"

    def __init__(self, scope: Scope) -> None:
        path = getattr(scope.get("route"), "path", None)
        self._path = path if isinstance(path, str) else self.NONE

    def __str__(self) -> str:
        return self._path


METHODS: Final = {each.value: each for each in Method if each is not Method.OTHER}


def method_of(scope: Scope) -> Method:
    """Return the method of a request."""
    return METHODS.get(scope["method"], Method.OTHER)


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
                    method, route = method_of(scope).value, str(Route(scope))
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


ALLOWED: Final = frozenset(
    {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "db.system.name",
        "db.operation.name",
    }
)
"""The only attributes that are exported."""

EXPORT_S: Final = 5
"""Timeout of the collector."""

SERVER_ERROR: Final = 500


class Operation(StrEnum):
    """The kinds of statement."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    OTHER = "other"


def operation_of(statement: str) -> Operation:
    """Return the kind of a statement."""
    first = statement.lstrip()[:6].upper()
    return Operation(first) if first in set(Operation) else Operation.OTHER


class AllowedSpans(SpanExporter):
    """Exports only name, times and allowed attributes of our spans."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export our spans, stripped; drop those of libraries."""
        ours = [_stripped(span) for span in spans if _is_ours(span)]
        return self._exporter.export(ours) if ours else SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Shut down the exporter."""
        self._exporter.shutdown()


TRACER: Final = "thenar"


def _is_ours(span: ReadableSpan) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == TRACER


def _stripped(span: ReadableSpan) -> ReadableSpan:
    attributes = span.attributes or {}
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={name: value for name, value in attributes.items() if name in ALLOWED},
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class Tracing:
    """Makes and exports spans.

    Args:
        exporter: None: OTLP to the address in the environment.
    """

    def __init__(self, exporter: SpanExporter | None = None) -> None:
        resource = Resource.create({SERVICE_NAME: "thenar"})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        sending = exporter or OTLPSpanExporter(timeout=EXPORT_S)
        self._provider.add_span_processor(BatchSpanProcessor(AllowedSpans(sending)))
        self._tracer = self._provider.get_tracer(TRACER)
        self._statements = _Statements(self._tracer)

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return the application with a span for each request."""
        return TracedApp(app, self._tracer)

    def trace_databases(self) -> None:
        """Make a span for each statement of every database."""
        for name, listener in self._statements.listeners.items():
            event.listen(Engine, name, listener)

    def close(self) -> None:
        """Export the remaining spans and stop."""
        for name, listener in self._statements.listeners.items():
            if event.contains(Engine, name, listener):
                event.remove(Engine, name, listener)
        self._provider.shutdown()


class TracedApp:
    """An application with a span for each request."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app, self._tracer = app, tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] in (LIVE, READY):
            await self._app(scope, receive, send)
            return
        method = method_of(scope).value

        async def send_traced(message: Message) -> None:
            if message["type"] == "http.response.start":
                _answered(span, message["status"])
            await send(message)

        with self._tracer.start_as_current_span(
            method,
            context=Context(),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                await self._app(scope, receive, send_traced)
            finally:
                route = str(Route(scope))
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)


def _answered(span: Span, status: int) -> None:
    span.set_attribute("http.response.status_code", status)
    if status >= SERVER_ERROR:
        span.set_status(StatusCode.ERROR)


class _Statements:
    """A span for each statement, from SQLAlchemy's events."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer, self._prepared = tracer, threading.local()
        self.listeners: dict[str, Callable[..., None]] = {
            "before_cursor_execute": self._before,
            "after_cursor_execute": self._after,
            "handle_error": self._failed,
        }

    def _before(self, connection: Any, *given: Any) -> None:  # noqa: ANN401 - SQLAlchemy's event
        _cursor, statement, _parameters, context, *_rest = given
        operation = operation_of(statement).value
        # A prepared statement has no own context; its thread does nothing meanwhile.
        (context or self._prepared).thenar_span = self._tracer.start_span(
            operation,
            kind=SpanKind.CLIENT,
            attributes={
                "db.system.name": connection.dialect.name,
                "db.operation.name": operation,
            },
        )

    def _after(self, _connection: Any, *given: Any) -> None:  # noqa: ANN401 - SQLAlchemy's event
        _cursor, _statement, _parameters, context, *_rest = given
        _end(context or self._prepared)

    def _failed(self, failure: Any) -> None:  # noqa: ANN401 - SQLAlchemy's event
        span = getattr(failure.execution_context, "thenar_span", None)
        if span is not None:
            span.set_status(StatusCode.ERROR)
        _end(failure.execution_context)


def _end(context: object) -> None:
    span = getattr(context, "thenar_span", None)
    if span is not None and span.is_recording():
        span.end()
