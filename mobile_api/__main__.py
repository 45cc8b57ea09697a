"""``thenar``: every command of the project under one name.

Packages bring their own commands by the entry-point group ``thenar.commands``; here are those
that need both services: serve, migrate, doctor, demo, phone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.metadata import entry_points
from typing import Annotated, Final

import typer
import uvicorn
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp

from engine.errors import EngineError
from mobile_api import app as composition
from mobile_api import logs, phone_command
from mobile_api.demo.command import demo
from mobile_api.errors import MobileError, SettingsFault
from mobile_api.settings import is_loopback
from oidc.errors import OidcError

console: Final = Console(stderr=True, highlight=False)

cli: Final = typer.Typer(
    no_args_is_help=True,
    help="Thenar: sign in to any app with the palm of your hand.",
    pretty_exceptions_enable=False,
)

PROXIES: Final = "127.0.0.1"
"""Whose word about the client's address is taken: a proxy on this machine."""

SHUTDOWN_S: Final = 3
"""How long an ended service waits for pages that hold an event stream open, in seconds."""


FAULTS: Final = (MobileError, OidcError, EngineError, ValidationError, SQLAlchemyError)
"""What may keep a command from its work."""

PREFIXES: Final = {
    "OidcSettings": "THENAR_OIDC_",
    "MobileSettings": "THENAR_MOBILE_",
    "EngineSettings": "THENAR_ENGINE_",
}
"""Of the environment variables, by settings class."""


class Only(StrEnum):
    """One of the two services."""

    OIDC = "oidc"
    MOBILE = "mobile"


@contextmanager
def _spoken_faults() -> Iterator[None]:
    """Say in one sentence why a command cannot do its work, and end with status 1."""
    try:
        yield
    except FAULTS as fault:
        console.print(f"[red]{escape(_reason(fault))}[/red]", soft_wrap=True)
        raise typer.Exit(1) from None


def _reason(fault: Exception) -> str:
    """Return what is wrong, without any value that was set."""
    if isinstance(fault, ValidationError):
        return _settings_faults(fault)
    if isinstance(fault, SQLAlchemyError):
        return f"the database cannot be used: {type(fault).__name__}"
    return str(fault)


def _settings_faults(fault: ValidationError) -> str:
    """Return one line for each faulty setting, naming its variable; never its value."""
    prefix = PREFIXES.get(fault.title, fault.title + ".")
    return "\n".join(
        f"{prefix}{'_'.join(map(str, error['loc'])).upper()}: {error['msg']}"
        for error in fault.errors(include_input=False, include_url=False)
    )


@cli.command()
def serve(
    only: Annotated[Only | None, typer.Option(help="Serve one of the two services.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8080,
) -> None:
    """Serve the OpenID provider and the mobile API, or one of them.

    Speaks plain http: on loopback as it is, elsewhere behind a proxy that adds TLS, and then
    every public address in the settings has to be https.
    """
    logs.set_up()
    with _spoken_faults():
        settings = composition.load_both()
        if not is_loopback(host) and not settings.is_secure:
            raise SettingsFault("plain http is served on loopback only: set https addresses")
        application = _application(settings, only)
    uvicorn.run(
        application,
        host=host,
        port=port,
        log_level="info",
        server_header=False,
        forwarded_allow_ips=PROXIES,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )


def _application(settings: composition.Settings, only: Only | None) -> ASGIApp:
    match only:
        case Only.OIDC:
            return composition.provider_alone(settings)
        case Only.MOBILE:
            return composition.mobile_alone(settings)
        case None:
            return composition.both(settings)


@cli.command()
def migrate() -> None:
    """Bring both databases to the version this program needs; make missing key files."""
    with _spoken_faults():
        for line in composition.migrate(composition.load_both()):
            console.print(line, soft_wrap=True)


@cli.command()
def doctor() -> None:
    """Look whether the service could start: settings, databases, keys, networks."""
    healthy = True
    checks: list[tuple[str, Callable[[], object]]] = composition.examinations()
    for name, examine in checks:
        try:
            examine()
        except FAULTS as fault:
            healthy = False
            reason = (
                str(fault) if not isinstance(fault, SQLAlchemyError) else "cannot be opened"
            )
            console.print(f"[red]✗[/red] {name}: {escape(reason)}", soft_wrap=True)
        else:
            console.print(f"[green]✓[/green] {name}", soft_wrap=True)
    raise typer.Exit(0 if healthy else 1)


cli.command()(demo)
cli.add_typer(phone_command.app, name="phone")


def main() -> None:
    """Run a command; the other packages' commands are found by their entry points."""
    for point in sorted(entry_points(group="thenar.commands"), key=lambda each: each.name):
        cli.add_typer(point.load(), name=point.name)
    cli()


if __name__ == "__main__":
    main()
