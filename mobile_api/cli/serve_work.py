"""The work of ``thenar serve``. The provider served alone loads nothing of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from prometheus_client import start_http_server
from rich.console import Console

from engine import __version__
from mobile_api.errors import SettingsFault
from mobile_api.observability import logging
from mobile_api.observability.metrics import Metrics
from mobile_api.server import provider_app
from mobile_api.server.configuration import Settings, load_both, place_of
from mobile_api.server.serving import Place, ServedApp, Server, require_port_free
from mobile_api.settings import MobileSettings, is_loopback
from mobile_api.types import LogFormat

console: Final = Console(stderr=True, highlight=False)


def run(only: str | None, host: str, port: int, certificate: Path | None) -> None:
    """Serve both services, or "oidc" or "mobile" alone, until a signal ends it."""
    settings = load_both()
    logging.configure(settings.mobile.log_format)
    if not is_loopback(host) and not settings.is_secure:
        raise SettingsFault("plain HTTP is served on loopback only: set https addresses")
    require_port_free(host, port)
    with provider_app.announced(settings, only):
        _run(settings, only, Place(host, port, certificate))


def _run(settings: Settings, only: str | None, place: Place) -> None:
    metrics = Metrics()
    served = _served(settings, only, metrics)
    _serve_metrics(metrics, settings.mobile)
    if settings.mobile.log_format is LogFormat.TEXT:
        for line in introduction(settings, place.host, place.port, only):
            console.print(line, soft_wrap=True, markup=False)
    with provider_app.traced(served) as traced:
        limit = settings.mobile.connections_limit
        Server(traced, place, settings.mobile.trusted_proxies, limit).run()


def introduction(
    settings: Settings, host: str, port: int, only: str | None = None
) -> Iterator[str]:
    """Say what is served, where and from what, and what comes next."""
    oidc, mobile = settings.oidc, settings.mobile
    yield f"Thenar {__version__} listens on {host}, port {port}."
    yield f"  issuer               {oidc.issuer}"
    yield f"  page of the phone    {oidc.phone_url}"
    yield f"  protocol database    {place_of(oidc.database_url)}"
    if only != "oidc":
        yield f"  biometric database   {place_of(mobile.database_url)}"
    yield f"Open {oidc.auth_url}/ in a browser. Register an app: thenar client add."


def _serve_metrics(metrics: Metrics, settings: MobileSettings) -> None:
    """Serve metrics on their own port, if one is set."""
    if settings.metrics_port:
        require_port_free(settings.metrics_host, settings.metrics_port)
        start_http_server(
            settings.metrics_port, settings.metrics_host, registry=metrics.registry
        )


def _served(settings: Settings, only: str | None, metrics: Metrics) -> ServedApp:
    if only == "oidc":
        return provider_app.serve_provider(settings, metrics)
    composition = import_module("mobile_api.app")
    serving = composition.serve_both if only is None else composition.serve_mobile
    return cast("ServedApp", serving(settings, metrics))
