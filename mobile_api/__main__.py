"""``thenar``: every command of the project under one name.

Only the command that is asked for is imported: help takes half a second, and the provider
served alone loads nothing of the engine.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.markup import escape

from engine import __version__
from mobile_api.errors import SettingsFault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

answers: Final = Console(highlight=False)


class Command(NamedTuple):
    """A command or group: where it is, and its line in the help of ``thenar``."""

    place: str
    help: str


COMMANDS: Final = {
    "account": Command("mobile_api.cli.account:account", "Accounts, which have no names."),
    "audit": Command(
        "mobile_api.cli.audit:audit",
        "Audit logs of clients, keys, accounts and phones, protected by hash chains.",
    ),
    "bench": Command(
        "benchmarks.__main__:app",
        "Measure accuracy, speed and robustness from outside, with confidence intervals.",
    ),
    "client": Command(
        "oidc.cli.clients:client", "Register, list and remove relying parties; replace secrets."
    ),
    "config": Command("mobile_api.cli.config:config", "Show the settings and their origin."),
    "demo": Command(
        "mobile_api.demo.command:demo", "Start Thenar and a sample app with drawn people."
    ),
    "doctor": Command(
        "mobile_api.doctor.command:doctor", "Check the configuration and report problems."
    ),
    "engine": Command(
        "engine.__main__:app", "Make, compare and search palm templates from files."
    ),
    "gallery": Command(
        "mobile_api.cli.gallery.group:app",
        "Templates of enrolled people: keys, thresholds, copies.",
    ),
    "key": Command("oidc.cli.keys:key", "List and rotate the signing keys."),
    "migrate": Command(
        "mobile_api.cli.databases:migrate",
        "Migrate both databases to the current version and create missing key files.",
    ),
    "models": Command("models.__main__:app", "Train the palm network and draw hands."),
    "phone": Command(
        "mobile_api.reference_phone.command:app", "Be a phone: enrol, sign in, own an account."
    ),
    "portal": Command(
        "oidc.cli.portal:portal", "Invite, list and remove developers of the portal."
    ),
    "restored": Command(
        "mobile_api.cli.databases:restored",
        "End every session and grant in a protocol database restored from a backup.",
    ),
    "sbom": Command(
        "mobile_api.cli.sbom:sbom", "List packages and networks with licences, as CycloneDX."
    ),
    "serve": Command(
        "mobile_api.cli.serve:serve",
        "Serve the OpenID provider and the mobile API, or one of them.",
    ),
}


FROM_A_CHECKOUT: Final = {"bench": "benchmarks", "models": "models"}
"""Commands whose package no wheel holds."""


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


def load(name: str) -> typer.Typer | Callable[..., None]:
    """Import a group of commands, or the function of a single one."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    loaded: typer.Typer | Callable[..., None] = getattr(import_module(module), attribute)
    return loaded


def command_line(asked: str | None) -> typer.Typer:
    """Return the command line with one command loaded, and the others as lines of the help."""
    cli = typer.Typer(
        no_args_is_help=True,
        help="Thenar: sign in to any app with the palm of your hand.",
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        callback=_options,
    )
    for name, command in COMMANDS.items():
        package = FROM_A_CHECKOUT.get(name)
        if package is not None and name != asked and find_spec(package) is None:
            continue
        loaded = load(name) if name == asked else _not_loaded
        if isinstance(loaded, typer.Typer):
            cli.add_typer(loaded, name=name)
        else:
            cli.command(name, help=None if name == asked else command.help)(loaded)
    return cli


def _not_loaded() -> None:
    """Stand for a command that is not asked for."""


def _asked(arguments: Sequence[str]) -> str | None:
    """Return the command; a configuration file may have the name of one."""
    words = iter(arguments)
    for word in words:
        if word in COMMANDS:
            return word
        if word == "--config":
            next(words, None)
    return None


def main() -> None:
    """Run a command; tell what it needs where that is not installed."""
    try:
        command_line(_asked(sys.argv[1:]))()
    except ModuleNotFoundError as missing:
        if missing.name in FROM_A_CHECKOUT.values():
            told = "This command runs from a checkout of Thenar only."
        elif find_spec("sqlalchemy") is None:
            told = f"{missing.name} is not installed: in a checkout, pip install '.[service]'"
        else:
            raise
        Console(stderr=True, highlight=False).print(f"[red]{escape(told)}[/red]")
        sys.exit(1)


if __name__ == "__main__":
    main()
