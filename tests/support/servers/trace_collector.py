"""A collector of OpenTelemetry traces: takes OTLP over http, and keeps what came."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Collector:
    """What a collector was sent.

    Attributes:
        url: its base address.
        bodies: as they came.
        headers: of all requests.
    """

    url: str
    bodies: list[bytes] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """Every span, decoded."""
        return [
            span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def collector() -> Iterator[Collector]:
    """Run one for as long as the context lasts."""
    kept = Collector("")

    class Handler(http.server.BaseHTTPRequestHandler):
        """Takes traces."""

        def do_POST(self) -> None:
            """Keep what comes."""
            kept.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            kept.headers.append(f"{self.path}\n{self.headers}")
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
