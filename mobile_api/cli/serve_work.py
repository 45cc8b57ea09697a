"""The work of ``thenar serve`` and ``thenar migrate --check``: apart from their options.

The provider served alone loads nothing of the engine.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
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
from mobile_api.server.running import require_biometric, require_protocol
from mobile_api.server.serving import Place, ServedApp, Server, require_port_free
from mobile_api.settings import MobileSettings, is_loopback
from mobile_api.storage.database import VERSION, open_engine
from mobile_api.types import Clock, LogFormat
from oidc import app as provider
from oidc.plumbing.database_engine import disposing
from oidc.plumbing.schema_version import Step
from oidc.types import Process, utc_now

_ADVICE: Final = {
    "create": "Run `{command}`: it makes what is missing.",
    "stop": "Stop every process, back up, and run `{command}`: about {seconds:.0f} s.",
    "expand": "Run `{command}`: about {seconds:.0f} s, while the service goes on.",
    "contract": "Run `{command} --contract` once you need no way back.",
    "": "Nothing to do.",
}
"""For the first kind of steps that there is."""


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """The steps that each database lacks, the processes that run, and the command."""

    biometric: list[Step]
    protocol: list[Step]
    processes: list[Process]
    command: str

    @property
    def steps(self) -> list[Step]:
        """Those of both."""
        return [*self.biometric, *self.protocol]

    @property
    def advice(self) -> str:
        """The next command of the operator, and why."""
        kinds = {each.kind for each in self.steps} | {""}
        first = next(kind for kind in _ADVICE if kind in kinds)
        seconds = sum(each.duration_s for each in self.steps if each.kind == first)
        return _ADVICE[first].format(command=self.command, seconds=seconds)

    def lines(self) -> Iterator[str]:
        """Print it for people."""
        for step in self.steps:
            rows = ", ".join(f"{count:,} of {name}" for name, count in step.rows.items())
            time = f" Rewrites {rows}: about {step.duration_s:.0f} s." if rows else ""
            yield f"{step.number} ({step.kind}): {step.purpose}{time}"
        for each in self.processes:
            age_s = (utc_now() - each.seen_at).total_seconds()
            known = f"knows {each.protocol} and {each.biometric or 'no biometric database'}"
            yield f"{each}, {known}, seen {age_s:.0f} s ago"
        yield self.advice

    def to_json(self) -> str:
        """Print it as JSON."""
        return json.dumps(asdict(self) | {"advice": self.advice}, indent=2, default=str)


def upgrade_plan(settings: Settings, only: str | None = None) -> UpgradePlan:
    """Return what to do for both databases, or for that of one half.

    Raises SettingsFault, NotMigrated, or of oidc DatabaseNotMigrated.
    """
    biometric = [] if only == "oidc" else _pending_biometric(settings)
    protocol = [] if only == "mobile" else provider.pending(settings.oidc)
    command = "thenar migrate" + (f" --only {only}" if only else "")
    running = provider.running(settings.oidc).processes
    return UpgradePlan(biometric, protocol, running, command)


def _pending_biometric(settings: Settings) -> list[Step]:
    require_biometric(settings)
    require_protocol(settings)
    with disposing(open_engine(settings.mobile.database_url)) as engine:
        return VERSION.pending(engine)


console: Final = Console(stderr=True, highlight=False)


def run(only: str | None, host: str, port: int, certificate: Path | None) -> None:
    """Serve both services, or "oidc" or "mobile" alone, until a signal ends it."""
    settings = load_both()
    logging.configure(settings.mobile.log_format)
    if not is_loopback(host) and not settings.is_secure:
        raise SettingsFault("plain HTTP is served on loopback only: set https addresses")
    if port == settings.mobile.metrics_port:
        raise SettingsFault("THENAR_MOBILE_METRICS_PORT is the service's own: take another")
    require_port_free(host, port)
    with provider_app.announced(settings, only) as clock:
        _run(settings, only, Place(host, port, certificate), clock)


def _run(settings: Settings, only: str | None, place: Place, clock: Clock) -> None:
    metrics = Metrics()
    served = _served(settings, only, metrics, clock)
    _serve_metrics(metrics, settings.mobile)
    if settings.mobile.log_format is LogFormat.TEXT:
        for line in introduction(settings, place.host, place.port, only):
            console.print(line, soft_wrap=True, markup=False)
    limit = settings.mobile.connections_limit
    Server(served, place, settings.mobile.trusted_proxies, limit).run()


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


def _served(settings: Settings, only: str | None, metrics: Metrics, clock: Clock) -> ServedApp:
    if only == "oidc":
        return provider_app.serve_provider(settings, metrics, clock)
    composition = import_module("mobile_api.app")
    serving = composition.serve_both if only is None else composition.serve_mobile
    return cast("ServedApp", serving(settings, metrics, clock))
