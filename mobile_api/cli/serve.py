"""``thenar serve``, ``thenar migrate`` and ``thenar restored``: both services and databases."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors

if TYPE_CHECKING:
    from mobile_api.server.configuration import Settings

SWITCH_INTERVAL_S: Final = 0.0005
"""How long a thread may hold the interpreter, a tenth of Python's default."""


class Only(StrEnum):
    """One of the two services."""

    OIDC = "oidc"
    MOBILE = "mobile"


def serve(
    only: Annotated[
        Only | None, typer.Option(help="Serve only one of the two services.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8080,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="PEM file with a private key and its certificate: serve https.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """Serve the OpenID provider and the mobile API, or one of them.

    Serves plain HTTP unless given a certificate. Beyond loopback, run it behind a proxy that
    adds TLS and set https for every public address.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    from mobile_api.cli import serve_work  # noqa: PLC0415 - loads the service

    with report_errors(serve_work.console):
        serve_work.run(only, host, port, certificate)


console: Final = Console(stderr=True, highlight=False)


def migrate(
    only: Annotated[
        Only | None,
        typer.Option(help="Migrate only the database of the half that this host serves."),
    ] = None,
    *,
    new_biometric_database: Annotated[
        bool,
        typer.Option(
            "--new-biometric-database",
            help="The biometric database is lost, without a backup, and begins empty. Everybody"
            " enrols again, and every app meets them as new people.",
        ),
    ] = False,
    contract: Annotated[
        bool,
        typer.Option(
            "--contract", help="Also take away what only older programs use: no way back."
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Say what would be done, how long it takes, and what runs. Exit status"
            " 3: there is something to do.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As --check, in JSON.")] = False,
) -> None:
    """Migrate both databases to the current version and create missing key files."""
    from mobile_api.server.configuration import load_both  # noqa: PLC0415 - loads the settings

    with report_errors(console):
        if check or as_json:
            _tell_plan(load_both(), only, as_json=as_json)
        migrating: Callable[..., Iterator[str]] = import_module("mobile_api.app").migrate
        options = {"is_new_biometric": new_biometric_database, "contracts": contract}
        for line in migrating(load_both(), only, **options):
            console.print(line, soft_wrap=True)


def _tell_plan(settings: Settings, only: Only | None, *, as_json: bool) -> NoReturn:
    from mobile_api.cli.serve_work import upgrade_plan  # noqa: PLC0415 - loads the databases

    plan = upgrade_plan(settings, only)
    typer.echo(plan.to_json() if as_json else "\n".join(plan.lines()))
    raise typer.Exit(3 if plan.steps else 0)


def restored() -> None:
    """End every session and grant in a protocol database restored from a backup.

    Run it before you serve the database: it is refused while a process runs. What was revoked,
    rotated or withdrawn after the backup is valid again in it, and nothing shows what. So every
    grant, session, open login, invitation and initial access token ends. People sign in once
    more and keep their pseudonyms; clients, their secrets and the signing keys are those of the
    backup.
    """
    from mobile_api.server import provider_app  # noqa: PLC0415 - loads the whole provider
    from mobile_api.server.configuration import load_both  # noqa: PLC0415

    with report_errors(console):
        console.print(provider_app.restored(load_both()), soft_wrap=True)
