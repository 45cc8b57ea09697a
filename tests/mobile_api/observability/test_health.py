"""An operator's machines ask whether a process lives and can serve, and what it counted."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient
from prometheus_client import generate_latest

from mobile_api.app import watch_gallery
from mobile_api.errors import KeyFileFault
from mobile_api.observability.access_log import AccessLog
from mobile_api.observability.health import Health
from mobile_api.observability.metrics import Metrics
from mobile_api.provider import Provider
from mobile_api.types import DeviceId
from oidc.types import Mismatched
from tests.support.clock import FakeClock
from tests.support.palms.fake_engine import shots
from tests.support.service.handoff import ALIASES, ObservedHandoff, provider_database
from tests.support.service.mobile_api import MobileWorld


def broken() -> None:
    """A key that is gone."""
    raise KeyFileFault("the file /secret/place is missing")


def _app() -> FastAPI:
    app = FastAPI()

    @app.get("/things/{name}")
    def thing(name: str) -> str:
        return name

    return app


def test_a_process_that_answers_lives() -> None:
    """A supervisor must not restart it because a database is away."""
    client = TestClient(Health(_app(), {"key": broken}))

    assert (client.get("/healthz").status_code, client.get("/things/a").json()) == (200, "a")


def test_readiness_names_what_is_missing_and_nothing_else() -> None:
    """Anybody may ask: no path, no reason, no version."""
    answer = TestClient(Health(_app(), {"key": broken, "rest": lambda: None})).get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {"status": "not_ready", "checks": {"key": "failed", "rest": "ok"}}


def test_readiness_is_looked_at_once_a_second() -> None:
    """A caller who asks a thousand times must not make a thousand queries."""
    looks: list[int] = []
    now = [0.0]
    client = TestClient(Health(_app(), {"one": lambda: looks.append(1)}, lambda: now[0]))
    for time in (0.0, 0.9, 1.1):
        now[0] = time
        assert client.get("/readyz").status_code == 200

    assert len(looks) == 2


def test_the_mobile_api_is_ready_until_its_key_is_gone(world: MobileWorld) -> None:
    """Databases, keys and the gallery are really looked at."""
    app = world.application()
    now = [0.0]
    with TestClient(Health(app, app._app.state.checks, lambda: now[0])) as client:  # type: ignore[attr-defined]
        ready = client.get("/readyz")
        world.settings.key_file.unlink()
        now[0] = 2.0
        failed = client.get("/readyz")

    assert ready.json()["checks"] == dict.fromkeys(
        ("biometric_database", "template_key", "gallery", "erasure_list"), "ok"
    )
    assert (failed.status_code, failed.json()["checks"]["template_key"]) == (503, "failed")


def test_numbers_are_counted_by_route_and_never_by_parameter() -> None:
    """A path may hold an identifier, and what attackers try would fill the memory."""
    metrics = Metrics()
    client = TestClient(AccessLog(_app(), count_response=metrics.count_response))
    for path in ("/things/secret-1", "/things/secret-2", "/secret-3"):
        client.get(path)
    client.request("BREW", "/things/secret-4")
    reported = generate_latest(metrics.registry).decode()

    counted = 'thenar_requests_total{method="GET",route="/things/{name}",status="200"} 2.0'
    assert counted in reported
    assert 'route="none",status="404"} 1.0' in reported
    assert 'method="other"' in reported
    assert "secret" not in reported
    assert "thenar_request_seconds_bucket" in reported


def test_steps_of_logins_are_counted_by_what_they_led_to(tmp_path: Path) -> None:
    """The first question is how many palms match, are requested again, or lock a login."""
    metrics, database = Metrics(), provider_database(tmp_path)
    handoff = ObservedHandoff(database, FakeClock())
    counted, phone = Provider(handoff, ALIASES, metrics), DeviceId("p" * 43)
    login = counted.claim(handoff.open(), phone, None)
    for _ in range(3):
        counted.record(login.login_id, phone, Mismatched())
    reported = generate_latest(metrics.registry).decode()
    database.close()

    assert 'thenar_login_steps_total{hint="palm_retry",step="palm"} 2.0' in reported
    assert 'thenar_login_steps_total{hint="locked",step="palm"} 1.0' in reported
    assert login.login_id not in reported


def test_the_gallery_is_measured(world: MobileWorld) -> None:
    """A gallery that lags does not know who enrolled a moment ago."""
    metrics = Metrics()
    world.enrolled(shots(1))
    app = world.application()
    watch_gallery(app._app.state.gallery, metrics)  # type: ignore[attr-defined]
    reported = generate_latest(metrics.registry).decode()

    assert "thenar_gallery_rows 2.0" in reported
    for name in ("rows", "lag_seconds", "shadow_differing"):
        assert f"\nthenar_gallery_{name} " in reported
