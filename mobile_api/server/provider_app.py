"""Composition root of the OpenID provider. Loads nothing of the engine but its settings."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from os import getpid
from socket import gethostname
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.types import ASGIApp

from engine import __version__
from mobile_api.errors import KeyFileFault
from mobile_api.observability.access_log import AccessLog
from mobile_api.observability.health import Checks, Health, SeenAddress
from mobile_api.observability.metrics import Metrics
from mobile_api.server.address_limits import RateLimitMiddleware, RateRule
from mobile_api.server.configuration import Settings
from mobile_api.server.running import require_stopped
from mobile_api.server.serving import ServedApp
from mobile_api.storage.database import VERSION
from mobile_api.types import Clock
from oidc import app as provider
from oidc.errors import DatabaseUnavailable
from oidc.plumbing.database import Database
from oidc.plumbing.database_engine import clock_lead
from oidc.plumbing.rate_limit import RateLimit
from oidc.types import RENEWAL_S, utc_now

UNWRITTEN: Final = timedelta(seconds=4 * RENEWAL_S)
"""After which a process that renewed nothing is not ready."""


def serve_provider(settings: Settings, metrics: Metrics, clock: Clock) -> ServedApp:
    """Build the OpenID provider alone, with limits, health and metrics."""
    app = provider.build_app(settings.oidc, clock)
    checks = provider_checks(app, metrics, clock)
    return ServedApp(with_middleware(settings, app, metrics, checks), app.state.stop, clock)


def with_middleware(
    settings: Settings, app: ASGIApp, metrics: Metrics, checks: Checks
) -> ASGIApp:
    """Add the middleware that every request passes."""
    logged = AccessLog(_limited(settings, app), count_response=metrics.count_response)
    return Health(SeenAddress(logged), checks)


def provider_checks(app: FastAPI, metrics: Metrics, clock: Clock) -> Checks:
    """Return the provider's readiness checks; add its gauges."""
    database = app.state.database
    counts: dict[str, Callable[[Any], int]] = {
        "thenar_logins_waiting": lambda stores: stores.logins.count_open(clock()),
        "thenar_logouts_due": lambda stores: stores.logouts.count_due(clock()),
        "thenar_logouts_failed": lambda stores: stores.logouts.count_failed(),
    }

    def counted(count: Callable[[Any], int]) -> int:
        with database.read() as stores:
            return count(stores)

    for name, count in counts.items():
        words = name.removeprefix("thenar_").replace("_", " ").capitalize()
        metrics.add_gauge(name, f"{words}, in the database", partial(counted, count))
    metrics.add_pool("protocol", database)

    def keys() -> None:
        with database.read() as stores:
            if not stores.keys.all():
                raise KeyFileFault("no signing key")

    def responds() -> None:
        database.require_response()
        app.state.require_usable()

    metrics.add_gauge(
        "thenar_clock_lead_seconds",
        "How far the protocol database's clock is ahead of this machine's",
        lambda: clock_lead(database.engine, utc_now).total_seconds(),
    )
    return {
        "protocol_database": responds,
        "protocol_writes": partial(require_writes, database, clock),
        "signing_keys": keys,
    }


def require_writes(database: Database[Any], clock: Clock) -> None:
    """Require that this process renewed its row: on a full disk only reads are answered.

    Raises DatabaseUnavailable.
    """
    with database.read() as stores:
        seen_at = stores.processes.seen_at(gethostname(), getpid())
    if seen_at is not None and clock() - seen_at > UNWRITTEN:
        raise DatabaseUnavailable("nothing can be written")


def _limited(settings: Settings, app: ASGIApp) -> ASGIApp:
    most, oidc = settings.mobile.address_logins_per_minute, settings.oidc
    rate = RateLimit(most, 60, oidc.limits_dir, "addresses")
    path = urlsplit(oidc.auth_url).path + "/oauth/authorize"
    return RateLimitMiddleware(app, [RateRule(rate, path)])


def announced(settings: Settings, only: str | None) -> AbstractContextManager[Clock]:
    """Announce this process to the others, until the end; give its clock.

    Raises DatabaseNotMigrated or ClocksDiffer.
    """
    database = provider.open_database(settings.oidc, connections=1)
    biometric = "" if only == "oidc" else VERSION.newest
    return provider.announced(database, __version__, biometric, utc_now)


def restored(settings: Settings) -> str:
    """End all grants, sessions and logins of a restored database; report how many.

    Raises ProcessesRun: it is in use, so it is no restored one or was not to be served yet.
    """
    require_stopped(settings)
    ended = provider.end_all(settings.oidc)
    return (
        f"Ended: {ended.grants} grants, {ended.sessions} sessions, {ended.logins} logins,"
        f" {ended.invitations} invitations and initial access tokens."
    )
