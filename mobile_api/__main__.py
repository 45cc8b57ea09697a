"""``thenar``: every command of the project under one name.

Only the requested command is imported: help takes half a second, and the provider
served alone loads nothing of the engine.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape

from engine import __version__
from engine.lazy_commands import LazyCommand, lazy_group
from mobile_api.errors import SettingsFault

answers: Final = Console(highlight=False)


COMMANDS: Final = {
    "account": LazyCommand("mobile_api.cli.account:account", "Accounts, which have no names."),
    "audit": LazyCommand(
        "mobile_api.cli.audit:audit",
        "Audit logs of clients, keys, accounts and phones, protected by hash chains.",
    ),
    "bench": LazyCommand(
        "benchmarks.__main__:app",
        "Measure accuracy, speed and robustness from outside, with confidence intervals.",
    ),
    "client": LazyCommand(
        "oidc.cli.clients:client",
        "Register, show, change and remove relying parties; replace secrets.",
    ),
    "config": LazyCommand(
        "mobile_api.cli.config:config", "Show the settings and their origin."
    ),
    "demo": LazyCommand(
        "mobile_api.demo.command:demo", "Start Thenar and a sample app with drawn people."
    ),
    "doctor": LazyCommand(
        "mobile_api.doctor.command:doctor", "Check the configuration and report problems."
    ),
    "engine": LazyCommand(
        "engine.__main__:app", "Make, compare and search palm templates from files."
    ),
    "gallery": LazyCommand(
        "mobile_api.cli.gallery:app", "Templates of enrolled people: keys, thresholds, copies."
    ),
    "key": LazyCommand("oidc.cli.keys:key", "List and rotate the signing keys."),
    "migrate": LazyCommand(
        "mobile_api.cli.serve:migrate",
        "Migrate both databases to the current version and create missing key files.",
    ),
    "models": LazyCommand("models.__main__:app", "Train the palm network and draw hands."),
    "phone": LazyCommand(
        "mobile_api.reference_phone.command:app", "Be a phone: enrol, sign in, own an account."
    ),
    "portal": LazyCommand(
        "oidc.cli.portal:portal", "Invite, list and remove developers of the portal."
    ),
    "restored": LazyCommand(
        "mobile_api.cli.serve:restored",
        "End every session and grant in a protocol database restored from a backup.",
    ),
    "sbom": LazyCommand(
        "mobile_api.cli.sbom:sbom", "List packages and networks with licences, as CycloneDX."
    ),
    "serve": LazyCommand(
        "mobile_api.cli.serve:serve",
        "Serve the OpenID provider and the mobile API, or one of them.",
    ),
    "station": LazyCommand(
        "mobile_api.cli.station:station", "Browsers at which people sign in without a phone."
    ),
}


FROM_A_CHECKOUT: Final = {"benchmarks", "models"}
"""Packages of commands that no wheel holds."""


def _say_version(*, is_asked: bool) -> None:
    if is_asked:
        answers.print(f"thenar {__version__}")
        raise typer.Exit


def _options(
    context: typer.Context,
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            envvar="THENAR_CONFIG",
            help="Configuration file (TOML). Environment variables go first.",
        ),
    ] = None,
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
    """Read the configuration file, and check the names of all settings."""
    if "--help" in sys.argv:
        return
    files = import_module("mobile_api.server.config_file")
    try:
        files.require_known()
        context.obj = frozenset() if config is None else files.apply_file(config)
    except SettingsFault as fault:
        Console(stderr=True, highlight=False).print(f"[red]{escape(str(fault))}[/red]")
        raise typer.Exit(1) from None


app: Final = lazy_group(
    "Thenar: sign in to any app with the palm of your hand.",
    COMMANDS,
    _options,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run a command; tell what it needs where that is not installed."""
    try:
        app()
    except ModuleNotFoundError as missing:
        if missing.name in FROM_A_CHECKOUT:
            message = "This command runs from a checkout of Thenar only."
        elif find_spec("sqlalchemy") is None:
            message = (
                f"{missing.name} is not installed: in a checkout, pip install '.[service]'"
            )
        else:
            raise
        Console(stderr=True, highlight=False).print(f"[red]{escape(message)}[/red]")
        sys.exit(1)


if __name__ == "__main__":
    main()
