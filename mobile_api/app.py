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
from typing import Protocol
from urllib.parse import urlsplit

import httpx2
from fastapi import FastAPI
from starlette.types import ASGIApp

from engine.settings import EngineSettings
from mobile_api import doctor, examination
from mobile_api.access_log import AccessLog
from mobile_api.consent import load_consent
from mobile_api.doctor import Finding, Level
from mobile_api.errors import KeyFault, SettingsFault
from mobile_api.examination import looked
from mobile_api.gallery import GalleryState, LiveGallery
from mobile_api.health import Checks, Health
from mobile_api.joined import Joined
from mobile_api.messages import API_PREFIX, PAGE_PREFIX
from mobile_api.metrics import CountedDoor, Metrics, Observed
from mobile_api.probe import Addresses, probe
from mobile_api.rates import Rate
from mobile_api.serving import Served
from mobile_api.settings import MobileSettings, TraceSettings, is_loopback
from mobile_api.spoken import FAULTS, reason_of
from mobile_api.storage import migrate as migrations
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_ring import create_key_file, read_key_ring
from mobile_api.throttle import Gate, Throttle
from mobile_api.wiring import Doors, build_mobile, load_recognition
from oidc import app as provider
from oidc.types import AuditEntry


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


def examine(probing: httpx2.Client | None) -> Iterator[Finding]:
    """Look at everything that a service needs; findings as they come.

    Args:
        probing: asks the public addresses; None: nobody does.
    """
    try:
        settings = load_both()
    except FAULTS as fault:
        yield Finding(Level.FAIL, "settings", reason_of(fault), "set it as README says")
        return
    yield Finding(Level.OK, "settings")
    yield from _judged(settings)
    yield from _examined(settings)
    if probing is not None:
        oidc = settings.oidc
        addresses = Addresses(
            oidc.issuer, oidc.auth_url, oidc.base_url, settings.mobile.public_url
        )
        yield from probe(addresses, probing)


def _judged(settings: Settings) -> Iterator[Finding]:
    """Judge what the settings say by themselves."""
    oidc, mobile = settings.oidc, settings.mobile
    addresses = (oidc.issuer, oidc.auth_url, oidc.base_url, mobile.public_url)
    hosts = [urlsplit(each).netloc for each in addresses]
    yield doctor.judge_addresses(is_secure=settings.is_secure, hosts=hosts)
    yield doctor.judge_proxies(mobile.trusted_proxies, is_secure=settings.is_secure)
    yield from doctor.judge_choices(
        demo=oidc.demo_command_template is not None,
        support=(oidc.support_email, mobile.support_email),
        one_database=oidc.database_url == mobile.database_url,
        metrics_public=bool(mobile.metrics_port) and not is_loopback(mobile.metrics_host),
    )


def _examined(settings: Settings) -> Iterator[Finding]:
    """Look at everything outside of the program."""
    oidc, mobile, engine = settings.oidc, settings.mobile, settings.engine
    urls = (oidc.database_url, mobile.database_url)
    keys = [] if oidc.key_encryption_key is not None else [oidc.key_encryption_key_file]
    yield from looked("consent text", lambda: ignored(load_consent(mobile)))
    yield from _examined_protocol(oidc)
    yield from examination.biometric(mobile, utc_now)
    yield examination.machine_clock(examination.utc_seconds)
    yield from examination.files(urls, keys)
    yield from looked(
        "template key",
        lambda: ignored(read_key_ring(mobile.key_file)),
        "chmod 600 the key file, or restore it from its backup; before anybody enrolled,"
        " `thenar migrate` makes it",
    )
    yield from looked(
        "networks and calibration",
        lambda: ignored(load_recognition(engine)),
        "run `thenar models fetch`, then `thenar models verify`",
    )
    yield from looked(
        "references open with the key",
        lambda: examination.references(mobile, engine),
        "put back the key file that belongs to this database",
    )
    yield from looked("gallery", lambda: examination.gallery(mobile, engine))
    yield from examination.disks(urls, [mobile.gallery_folder])


def _examined_protocol(settings: provider.OidcSettings) -> Iterator[Finding]:
    """Look at the protocol database and the keys in it."""

    def clock_and_log() -> list[Finding]:
        database = provider.open_database(settings)
        try:
            with database.read() as stores:
                entries = stores.audit.entries()
                log = examination.chain("protocol audit log", entries, utc_now)
            return [examination.clock_of("protocol clock", database.engine, utc_now), log]
        finally:
            database.close()

    def signing() -> None:
        provider.build_app(settings).state.database.close()

    remedy = "run `thenar migrate`, or start the database"
    found = list(
        looked("protocol database", lambda: provider.open_database(settings).close(), remedy)
    )
    yield from found
    if found[0].level is Level.OK:
        yield from looked("protocol clock and audit log", clock_and_log)
    yield from looked(
        "signing keys",
        signing,
        "put back the key encryption key that belongs to this database",
    )


def ignored(_loaded: object) -> None:
    """Return nothing: that it could be loaded is what was looked at."""
