"""Opens the database for a command, and reports errors in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from oidc.errors import OidcError, describe_faults
from oidc.opening import open_database

if TYPE_CHECKING:
    from oidc.settings import OidcSettings
    from oidc.storage.database import Database

_GAP: Final = "  "
"""Between columns."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def protocol_database() -> Iterator[tuple[OidcSettings, Database]]:
    """Open the protocol database of the environment's settings. Errors exit with one line."""
    from pydantic import ValidationError  # noqa: PLC0415 - help needs no settings

    from oidc.settings import OidcSettings  # noqa: PLC0415

    try:
        settings = OidcSettings()
        with closing(open_database(settings)) as database:
            yield settings, database
    except ValidationError as faults:
        fail(describe_faults(faults))
    except OidcError as fault:
        fail(str(fault))


def fail(message: str) -> NoReturn:
    """Print a message and exit with status 1."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def print_rows(
    rows: Sequence[Mapping[str, str | None]], *, names: Sequence[str], as_json: bool
) -> None:
    """Print a table, or lines of name and value where it is too wide: no value is broken."""
    if as_json:
        print_json(rows)
        return
    lines = [
        [escape("-" if value is None else value) for value in row.values()] for row in rows
    ]
    table = Table(*(Column(name, no_wrap=True) for name in names), box=None)
    for line in lines:
        table.add_row(*line)
    console = Console(soft_wrap=True)
    widths = (max(map(cell_len, cells)) for cells in zip(names, *lines, strict=True))
    if sum(widths) + len(_GAP) * len(names) <= console.width:
        console.print(table)
        return
    width = max(map(len, names)) + len(_GAP)
    for line in lines:
        named = zip(names, line, strict=True)
        console.print(
            "\n".join(f"{name:{width}}{value}" for name, value in named), "\n", sep=""
        )


def print_fields(fields: Mapping[str, str], *, as_json: bool) -> None:
    """Print names and values."""
    if as_json:
        print_json(fields)
        return
    width = max(map(len, fields))
    for name, value in fields.items():
        typer.echo(f"{name:<{width}}  {value}")


def print_json(value: object) -> None:
    """Print JSON for programs."""
    typer.echo(json.dumps(value, indent=2))
