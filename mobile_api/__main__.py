"""``thenar``: every command of the project under one name.

Groups come from the entry-point group ``thenar.commands``; here are commands that need both
services. Imports are lazy, so that the provider served alone loads nothing of the engine.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from importlib.metadata import entry_points, version
from typing import TYPE_CHECKING, Annotated, Final, cast

import httpx2
import typer
from prometheus_client import start_http_server
from rich.console import Console
from rich.markup import escape

from mobile_api.cli.error_messages import report_errors
from mobile_api.demo.command import demo
from mobile_api.doctor.findings import Finding, Level, exit_code
from mobile_api.doctor.probe import PROBE_S
from mobile_api.errors import SettingsFault
from mobile_api.observability import logging
from mobile_api.observability.metrics import Metrics
from mobile_api.server import provider
from mobile_api.server.configuration import Settings, load_both
from mobile_api.server.serving import ServedApp, Server, require_port_free
from mobile_api.settings import MobileSettings, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

console: Final = Console(stderr=True, highlight=False)
answers: Final = Console(highlight=False)

cli: Final = typer.Typer(
    no_args_is_help=True,
    help="Thenar: sign in to any app with the palm of your hand.",
    pretty_exceptions_enable=False,
)

SWITCH_INTERVAL_S: Final = 0.0005
"""How long a thread may hold the interpreter, a tenth of Python's default."""


class Only(StrEnum):
    """One of the two services."""

    OIDC = "oidc"
    MOBILE = "mobile"


def _say_version(*, is_asked: bool) -> None:
    if is_asked:
        answers.print(f"thenar {version('thenar')}")
        raise typer.Exit


@cli.callback()
def thenar(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            is_eager=True,
            callback=lambda is_asked: _say_version(is_asked=is_asked),
        ),
    ] = False,
) -> None:
    """Handle the options shared by all commands."""


@cli.command()
def serve(
    only: Annotated[
        Only | None, typer.Option(help="Serve only one of the two services.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8080,
) -> None:
    """Serve the OpenID provider and the mobile API, or one of them.

    Serves plain HTTP. Beyond loopback, run it behind a proxy that adds TLS and set https for
    every public address.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    with report_errors(console):
        settings = load_both()
        logging.configure(settings.mobile.log_format)
        if not is_loopback(host) and not settings.is_secure:
            raise SettingsFault("plain HTTP is served on loopback only: set https addresses")
        require_port_free(host, port)
        metrics = Metrics()
        served = _served(settings, only, metrics)
        _serve_metrics(metrics, settings.mobile)
        with provider.traced(served) as traced:
            Server(traced, host, port, settings.mobile.trusted_proxies).run()


def _serve_metrics(metrics: Metrics, settings: MobileSettings) -> None:
    """Serve metrics on their own port, if one is set."""
    if settings.metrics_port:
        require_port_free(settings.metrics_host, settings.metrics_port)
        start_http_server(
            settings.metrics_port, settings.metrics_host, registry=metrics.registry
        )


def _served(settings: Settings, only: Only | None, metrics: Metrics) -> ServedApp:
    if only is Only.OIDC:
        return provider.serve_provider(settings, metrics)
    composition = import_module("mobile_api.app")
    serving = composition.serve_both if only is None else composition.serve_mobile
    return cast("ServedApp", serving(settings, metrics))


@cli.command()
def migrate() -> None:
    """Migrate both databases to the current version and create missing key files."""
    with report_errors(console):
        migrating: Callable[[Settings], Iterator[str]]
        migrating = import_module("mobile_api.app").migrate
        for line in migrating(load_both()):
            console.print(line, soft_wrap=True)


@cli.command()
def restored() -> None:
    """End every session and grant in a protocol database restored from a backup.

    Run it before you serve the database. What was revoked, rotated or withdrawn after the
    backup is valid again in it, and nothing shows what. So every grant, session, open login,
    invitation and initial access token ends. People sign in once more and keep their
    pseudonyms; clients, their secrets and the signing keys are those of the backup.
    """
    with report_errors(console):
        console.print(provider.restored(load_both()), soft_wrap=True)


@cli.command()
def doctor(
    *,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Also request the public addresses, through the proxy."),
    ] = False,
) -> None:
    """Check the configuration and report problems: settings, databases, clocks, keys, disk.

    One line for each check: ✓ good, ! may be wrong, ✗ wrong, with advice. Exit status 1 if any
    check failed.
    """
    findings = []
    run_checks: Callable[[httpx2.Client | None], Iterator[Finding]]
    run_checks = import_module("mobile_api.doctor.run").run_checks
    with httpx2.Client(timeout=PROBE_S) as http:
        for finding in run_checks(http if probe else None):
            findings.append(finding)
            answers.print(_line(finding), soft_wrap=True)
    raise typer.Exit(exit_code(findings))


MARKS: Final = {
    Level.OK: "[green]✓[/green]",
    Level.WARN: "[yellow]![/yellow]",
    Level.FAIL: "[red]✗[/red]",
}


def _line(finding: Finding) -> str:
    message = f": {escape(finding.message)}" if finding.message else ""
    advice = f" — {escape(finding.advice)}" if finding.advice else ""
    return f"{MARKS[finding.level]} {escape(finding.name)}{message}{advice}"


cli.command()(demo)


def main() -> None:
    """Run a command; load only the group of commands it belongs to."""
    groups = {point.name: point for point in entry_points(group="thenar.commands")}
    own = {command.callback.__name__ for command in cli.registered_commands if command.callback}
    asked = set(sys.argv[1:2])
    wanted = asked & groups.keys() if asked & (groups.keys() | own) else groups.keys()
    for name in sorted(wanted):
        cli.add_typer(groups[name].load(), name=name)
    cli()


if __name__ == "__main__":
    main()
