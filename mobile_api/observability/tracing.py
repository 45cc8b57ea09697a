"""OpenTelemetry traces, if the operator names a collector.

``AllowedSpans`` exports listed attributes only, so that no library can send a query, header,
parameter or error message. Incoming trace ids are ignored. FastAPI's own telemetry, which would
send queries, stays off.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from sqlalchemy import Engine, event
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobile_api.observability.access_log import Route, method_of
from mobile_api.observability.health import LIVE, READY

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
