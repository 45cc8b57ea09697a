"""``thenar migrate`` and ``thenar restored``: both databases and their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors

console: Final = Console(stderr=True, highlight=False)


def migrate(
    *,
    new_biometric_database: Annotated[
        bool,
        typer.Option(
            "--new-biometric-database",
            help="The biometric database is lost, without a backup, and begins anew. Everybody"
            " enrols again, and every app meets them as new people.",
        ),
    ] = False,
) -> None:
    """Migrate both databases to the current version and create missing key files."""
    from mobile_api.server.configuration import load_both  # noqa: PLC0415 - loads the settings

    with report_errors(console):
        migrating: Callable[..., Iterator[str]] = import_module("mobile_api.app").migrate
        for line in migrating(load_both(), is_new_biometric=new_biometric_database):
            console.print(line, soft_wrap=True)


def restored() -> None:
    """End every session and grant in a protocol database restored from a backup.

    Run it before you serve the database. What was revoked, rotated or withdrawn after the
    backup is valid again in it, and nothing shows what. So every grant, session, open login,
    invitation and initial access token ends. People sign in once more and keep their
    pseudonyms; clients, their secrets and the signing keys are those of the backup.
    """
    from mobile_api.server import provider_app  # noqa: PLC0415 - loads the whole provider
    from mobile_api.server.configuration import load_both  # noqa: PLC0415

    with report_errors(console):
        console.print(provider_app.restored(load_both()), soft_wrap=True)
