"""Traces say what was slow, and nothing of what was asked."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from mobile_api.errors import SettingsFault
from mobile_api.observability.tracing import ALLOWED, AllowedSpans, Tracing
from mobile_api.server.provider_app import traced
from mobile_api.server.serving import ServedApp
from tests.support.secret_search import found_in
from tests.support.servers.recording import Recorder, recording

SECRET = "vu-3b1f7a52-0000-4000-8000-5ec2e75ec2e7"


@pytest.fixture
def receiver() -> Iterator[Recorder]:
    """Give a collector that listens."""
    with recording() as running:
        yield running


def _exporter(receiver: Recorder) -> OTLPSpanExporter:
    return OTLPSpanExporter(f"{receiver.address}/v1/traces")


def _attributes(span: Span) -> dict[str, str | int]:
    return {
        each.key: each.value.string_value or each.value.int_value for each in span.attributes
    }


def _app(path: Path) -> FastAPI:
    app = FastAPI()
    engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
    app.state.engine = engine

    @app.get("/things/{name}")
    def thing(name: str) -> str:
        with engine.connect() as connection:
            return str(connection.execute(text("SELECT :name"), {"name": name}).scalar_one())

    @app.get("/broken")
    def broken() -> str:
        with engine.connect() as connection:
            statement = "SELECT 'vu-3b1f7a52-0000-4000-8000-5ec2e75ec2e7' FROM nowhere"
            connection.execute(text(statement))
        return ""

    return app


def _drive(
    receiver: Recorder, tmp_path: Path, ask: Callable[[TestClient], object]
) -> list[Span]:
    app, traces = _app(tmp_path / "x.sqlite3"), Tracing(_exporter(receiver))
    traces.trace_databases()
    try:
        with TestClient(traces.wrap(app)) as client:
            ask(client)
    finally:
        traces.close()
        app.state.engine.dispose()
    return receiver.spans


def test_a_request_and_its_statements_are_one_trace(receiver: Recorder, tmp_path: Path) -> None:
    """What took the time is seen; for whom is not."""
    headers = {"traceparent": f"00-{'5ec2e7' * 5}00-{'5e' * 8}-01", "Cookie": SECRET}
    path = f"/things/{SECRET}?state={SECRET}"
    spans = _drive(receiver, tmp_path, lambda client: client.get(path, headers=headers))
    server = next(span for span in spans if span.kind == Span.SPAN_KIND_SERVER)
    statements = [span for span in spans if span.kind == Span.SPAN_KIND_CLIENT]

    assert server.name == "GET /things/{name}"
    assert _attributes(server) == {
        "http.request.method": "GET",
        "http.route": "/things/{name}",
        "http.response.status_code": 200,
    }
    assert [_attributes(each) for each in statements] == [
        {"db.system.name": "sqlite", "db.operation.name": "SELECT"}
    ]
    assert {each.trace_id for each in statements} == {server.trace_id}
    assert statements[0].parent_span_id == server.span_id
    assert server.trace_id.hex() != "5ec2e7" * 5 + "00"
    assert server.parent_span_id == b""
    assert server.start_time_unix_nano < statements[0].start_time_unix_nano


def test_nothing_that_was_asked_is_sent(receiver: Recorder, tmp_path: Path) -> None:
    """No path, query, header, parameter, literal, or word of a fault."""

    def ask(client: TestClient) -> None:
        headers = {"Authorization": SECRET, "User-Agent": SECRET, "X-Forwarded-For": SECRET}
        client.get(f"/things/{SECRET}?q={SECRET}", headers=headers)
        client.request(SECRET, f"/{SECRET}")
        with pytest.raises(OperationalError):
            client.get("/broken", headers=headers)

    spans = _drive(receiver, tmp_path, ask)
    failed = [span for span in spans if span.status.code == Status.STATUS_CODE_ERROR]

    assert len(spans) >= 5
    assert found_in(receiver.text, {"secret": SECRET}) == []
    assert {name for span in spans for name in _attributes(span)} <= ALLOWED
    assert [list(span.events) + list(span.links) for span in spans] == [[]] * len(spans)
    assert [span.name for span in failed] == ["SELECT", "GET /broken"]
    assert all(span.status.message == "" for span in spans)


def test_a_span_of_a_library_is_dropped_and_an_attribute_that_is_not_listed(
    receiver: Recorder,
) -> None:
    """An attribute added by mistake adds nothing to what leaves."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(AllowedSpans(_exporter(receiver))))
    with provider.get_tracer("some.library").start_as_current_span(SECRET):
        pass
    with provider.get_tracer("thenar").start_as_current_span("ours") as span:
        span.set_attribute("url.query", SECRET)
        span.set_attribute("http.route", "/ours")
        span.add_event("note", {"secret": SECRET})
        span.record_exception(ValueError(SECRET))
    provider.shutdown()

    assert [(each.name, _attributes(each)) for each in receiver.spans] == [
        ("ours", {"http.route": "/ours"})
    ]
    assert SECRET not in receiver.text


def _served(tmp_path: Path) -> ServedApp:
    return ServedApp(_app(tmp_path / "x.sqlite3"), lambda: None)


def test_without_a_collector_there_are_no_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off unless the operator says where to."""
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    served = _served(tmp_path)
    with traced(served) as same:
        assert same is served


def test_the_environment_says_where_traces_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receiver: Recorder
) -> None:
    """By the name that every program of OpenTelemetry knows; probes are not traced."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address)
    with traced(_served(tmp_path)) as served, TestClient(served.app) as client:
        client.get("/nothing")
        client.get("/healthz")

    assert [span.name for span in receiver.spans] == ["GET none"]


def test_a_collector_that_is_away_delays_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process ends on its signal."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    began = time.perf_counter()
    with traced(_served(tmp_path)) as served, TestClient(served.app) as client:
        assert client.get("/nothing").status_code == 404

    assert time.perf_counter() - began < 20


def test_without_the_packages_it_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an operator believes that traces are made."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(__import__("sys").modules, "mobile_api.observability.tracing", None)
    with pytest.raises(SettingsFault, match=r"'\.\[traces\]'"), traced(_served(tmp_path)):
        pass
