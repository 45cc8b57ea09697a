"""Opens the database for a command, and reports errors in one line."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from oidc.errors import ClientFault, DatabaseNotMigrated, PortalFault, SigningKeyFault
from oidc.opening import open_database
from oidc.settings import OidcSettings, describe_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oidc.storage.database import Database

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def protocol_database() -> Iterator[tuple[OidcSettings, Database]]:
    """Open the protocol database of the environment's settings. Errors exit with one line."""
    try:
        settings = OidcSettings()
        database = open_database(settings)
        try:
            yield settings, database
        finally:
            database.close()
    except ValidationError as faults:
        fail(describe_faults(faults))
    except (ClientFault, DatabaseNotMigrated, SigningKeyFault, PortalFault) as fault:
        fail(str(fault))


def fail(message: str) -> NoReturn:
    """Print a message and exit with status 1."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def print_rows(names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: identifiers, its first column, stay whole, so that they can be copied."""
    lines = [[escape(value) for value in row] for row in rows]
    columns = [Column(name, overflow="fold") for name in names]
    columns[0].no_wrap = True
    columns[0].min_width = max((len(line[0]) for line in lines), default=0)
    table = Table(*columns, box=None)
    for line in lines:
        table.add_row(*line)
    Console().print(table)


def print_json(value: object) -> None:
    """Print JSON for programs."""
    typer.echo(json.dumps(value, indent=2))
