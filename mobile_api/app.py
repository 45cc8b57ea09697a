"""Composition root: settings and the clock in, ASGI applications out.

The mobile API and the OpenID provider are served together or each alone; even alone the mobile
API opens the provider's database, for the door it shares with the browsers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Final, Protocol
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.types import ASGIApp

from engine.settings import EngineSettings
from mobile_api.access_log import AccessLog
from mobile_api.consent import load_consent
from mobile_api.errors import KeyFault, SettingsFault
from mobile_api.gallery import GalleryState, LiveGallery
from mobile_api.health import Checks, Health
from mobile_api.joined import Joined
from mobile_api.messages import API_PREFIX, PAGE_PREFIX
from mobile_api.metrics import CountedDoor, Metrics, Observed
from mobile_api.rates import Rate
from mobile_api.serving import Served
from mobile_api.settings import MobileSettings, TraceSettings
from mobile_api.shared_galleries import Address, open_shared
from mobile_api.storage import migrate as migrations
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_ring import RingFile, create_key_file, read_key_ring
from mobile_api.throttle import Gate, Throttle
from mobile_api.vault import Vault
from mobile_api.wiring import Doors, build_mobile, load_recognition
from oidc import app as provider
from oidc.types import AuditEntry

_EXAMINED_ROWS: Final = 1_000
"""References that ``thenar doctor`` opens."""


def utc_now() -> datetime:
    """Return the real time, aware and UTC."""
    return datetime.now(UTC)


class TraceMaker(Protocol):
    """What ``traces.Traces`` does, which needs packages that are an extra."""

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the application with a span around each request."""

    def watch_databases(self) -> None:
        """Make a span of each statement."""

    def close(self) -> None:
        """Send what is left."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all packages that serve."""

    oidc: provider.OidcSettings
    mobile: MobileSettings
    engine: EngineSettings

    @property
    def is_secure(self) -> bool:
        """Whether every public address is https."""
        return self.oidc.is_secure and self.mobile.is_secure


def load_both() -> Settings:
    """Read all settings; without a public address, phones go where the QR code leads.

    Raises:
        SettingsFault: the QR code leads somewhere else than to our page.
        pydantic.ValidationError: a setting is not acceptable.
    """
    oidc = provider.OidcSettings()
    mobile = MobileSettings()
    if "public_url" not in mobile.model_fields_set:
        mobile = MobileSettings(public_url=oidc.phone_url.removesuffix(PAGE_PREFIX))
    if oidc.phone_url != mobile.public_url + PAGE_PREFIX:
        raise SettingsFault(
            "THENAR_OIDC_PHONE_URL must be THENAR_MOBILE_PUBLIC_URL followed by /m"
        )
    return Settings(oidc, mobile, EngineSettings())


def serve_provider(settings: Settings, metrics: Metrics) -> Served:
    """Build the OpenID provider as it is served: alone, with its limits."""
    app = provider_alone(settings)
    guarded = _guarded(settings, app, metrics, _provider_checks(app, metrics))
    return Served(guarded, app.state.stop)


def serve_mobile(settings: Settings, metrics: Metrics) -> Served:
    """Build the mobile API as it is served: alone, with its limits."""
    app = mobile_alone(settings, metrics)
    return Served(_guarded(settings, app, metrics, app.state.checks), lambda: None)


def serve_both(settings: Settings, metrics: Metrics) -> Served:
    """Build both as they are served: on one port, with their limits."""
    mobile, others = mobile_alone(settings, metrics), provider_alone(settings)
    joined = Joined(mobile, others, settings.mobile.path)
    checks = mobile.state.checks | _provider_checks(others, metrics)
    return Served(_guarded(settings, joined, metrics, checks), others.state.stop)


@contextmanager
def traced(served: Served) -> Iterator[Served]:
    """Make traces of what is served, if the environment names a collector; send the last.

    Raises:
        SettingsFault: there is no OpenTelemetry to make them.
    """
    if TraceSettings().endpoint is None:
        yield served
        return
    try:
        module = import_module("mobile_api.traces")
    except ModuleNotFoundError as fault:
        raise SettingsFault("for OTEL_EXPORTER_OTLP_ENDPOINT install thenar[traces]") from fault
    traces: TraceMaker = module.Traces()
    traces.watch_databases()
    try:
        yield Served(traces.around(served.app), served.stop)
    finally:
        traces.close()


def _guarded(settings: Settings, app: ASGIApp, metrics: Metrics, checks: Checks) -> ASGIApp:
    """Put around an application what every request passes."""
    observed = Observed(_limited(settings, app), metrics)
    return Health(AccessLog(observed), checks)


def _provider_checks(app: FastAPI, metrics: Metrics) -> Checks:
    """Return what the provider needs; let the logins that wait be counted."""
    database = app.state.database

    def waiting() -> float:
        with database.read() as stores:
            return float(stores.logins.count_open(utc_now()))

    def keys() -> None:
        with database.read() as stores:
            if not stores.keys.all():
                raise KeyFault("there is no signing key")

    metrics.watch("thenar_logins_waiting", "Logins that are open, in the database", waiting)
    return {"protocol_database": waiting, "signing_keys": keys}


def watch_gallery(gallery: LiveGallery, metrics: Metrics) -> None:
    """Let the gallery of this process be measured."""
    measures: dict[str, tuple[str, Callable[[GalleryState], float]]] = {
        "rows": ("References that are searched", lambda state: state.stored.rows),
        "lag_seconds": ("Since it was what the database holds", lambda state: state.lag_s),
        "disk_bytes": ("Bytes of its files", lambda state: state.stored.disk_bytes),
        "erasure_age_seconds": (
            "Since something was erased that files may still hold",
            lambda state: state.stored.erasure_age_s,
        ),
        "damages": ("Times its files were not as written", lambda s: s.stored.damage_count),
        "shadow_repeated": (
            "Searches made again exactly",
            lambda state: state.stored.shadow.repeated,
        ),
        "shadow_differing": (
            "Of these, those that found somebody else: must be 0",
            lambda state: state.stored.shadow.differing,
        ),
        "shadow_missed": (
            "Searches that should have been made again and were not",
            lambda state: state.stored.shadow.dropped + state.stored.shadow.failed,
        ),
    }
    for name, (description, measure) in measures.items():
        metrics.watch(
            f"thenar_gallery_{name}", description, partial(_measured, gallery, measure)
        )


def _measured(gallery: LiveGallery, measure: Callable[[GalleryState], float]) -> float:
    return measure(gallery.state())


def _limited(settings: Settings, app: ASGIApp) -> ASGIApp:
    mobile = settings.mobile
    api = mobile.path + API_PREFIX
    authorize = urlsplit(settings.oidc.auth_url).path + "/oauth/authorize"
    return Throttle(
        app,
        (
            Gate(Rate(mobile.address_devices_per_hour, 3600), f"{api}/devices", "POST"),
            Gate(Rate(mobile.address_requests_per_minute, 60), f"{api}/"),
            Gate(Rate(mobile.address_logins_per_minute, 60), authorize),
        ),
    )


def provider_alone(settings: Settings) -> FastAPI:
    """Build the OpenID provider, without a phone's side."""
    return provider.build_app(settings.oidc)


def mobile_alone(settings: Settings, metrics: Metrics) -> FastAPI:
    """Build the mobile API, with a door into the provider's database."""
    door = CountedDoor(provider.open_door(settings.oidc), metrics)
    doors = Doors(door, provider.open_connections(settings.oidc))
    recognition = load_recognition(settings.engine)
    app = build_mobile(settings.mobile, recognition, doors, utc_now)
    metrics.version(recognition.extractor)
    watch_gallery(app.state.gallery, metrics)
    return app


def migrate(settings: Settings) -> Iterator[str]:
    """Make both databases and their keys ready, saying what was done.

    Raises:
        KeyFault: the biometric database holds templates, and their key file is gone.
    """
    provider.migrate(settings.oidc)
    yield "The protocol database is ready."
    engine = open_engine(settings.mobile.database_url)
    try:
        migrations.upgrade(engine)
        yield "The biometric database is ready."
        yield _ready_key(settings.mobile, Database(engine))
    finally:
        engine.dispose()


def restored(settings: Settings) -> str:
    """End what a restored protocol database brought back; say how much it was."""
    ended = provider.end_all(settings.oidc)
    return (
        f"Ended: {ended.grants} grants, {ended.sessions} sessions, {ended.logins} logins,"
        f" {ended.invitations} invitations and initial access tokens."
    )


def _ready_key(settings: MobileSettings, storage: Database) -> str:
    """Make the key file, unless that would hide that another one is lost."""
    with storage.reading() as unit:
        holds_templates = unit.references.any()
    if not settings.key_file.exists() and holds_templates:
        raise KeyFault("the key file of these templates is missing: restore it from its backup")
    made = create_key_file(settings.key_file)
    read_key_ring(settings.key_file)
    return "A key for templates was made: back it up, apart." if made else "The key is there."


@contextmanager
def protocol_audit() -> Iterator[Callable[[int], Iterator[AuditEntry]]]:
    """Open the audit log of the protocol database."""
    database = provider.open_database(provider.OidcSettings())
    try:
        with database.read() as stores:
            yield stores.audit.entries
    finally:
        database.close()


def examinations() -> list[tuple[str, Callable[[], object]]]:
    """Return what ``thenar doctor`` looks at, each raising what is wrong with it."""
    return [
        ("settings", load_both),
        ("consent text", lambda: load_consent(load_both().mobile)),
        ("protocol database", lambda: provider.open_database(load_both().oidc)),
        ("signing keys", lambda: provider_alone(load_both())),
        ("biometric database", lambda: _require_current(load_both().mobile)),
        ("template key", lambda: read_key_ring(load_both().mobile.key_file)),
        ("networks and calibration", lambda: load_recognition(load_both().engine)),
        ("references open with the key", lambda: _open_references(load_both())),
        ("gallery", lambda: _reach_gallery(load_both())),
    ]


def _open_references(settings: Settings) -> None:
    """Open some references as a service would, without its gallery: it may be running."""
    recognition = load_recognition(settings.engine)
    engine = open_engine(settings.mobile.database_url)
    vault = Vault(TemplateCipher(RingFile(settings.mobile.key_file).current))
    try:
        with Database(engine).reading() as unit:
            references = unit.references.all(recognition.extractor)
            vault.open_references(list(islice(references, _EXAMINED_ROWS)))
    finally:
        engine.dispose()


def _reach_gallery(settings: Settings) -> None:
    """Open the gallery on its server as a service would; one on a disk belongs to a service."""
    if settings.mobile.gallery_url is not None:
        recognition = load_recognition(settings.engine)
        vault = Vault(TemplateCipher(RingFile(settings.mobile.key_file).current))
        address = Address.read(settings.mobile.gallery_url)
        extractor, dimension = recognition.extractor, recognition.dimension
        open_shared(address, extractor, dimension, vault, vault.key_id).close()


def _require_current(settings: MobileSettings) -> None:
    engine = open_engine(settings.database_url)
    try:
        migrations.require_current(engine)
    finally:
        engine.dispose()
