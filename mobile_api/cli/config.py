"""``thenar config``: what is set, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_errors: Final = Console(stderr=True, highlight=False)

config: Final = typer.Typer(no_args_is_help=True)


@config.callback()
def _group() -> None:
    """Show the settings and their origin."""


@config.command()
def show(context: typer.Context) -> None:
    """Print every setting as a configuration file, and where its value comes from.

    Secrets are not shown. The output is a valid file for --config: what is a default or a
    secret stands in it as a comment.
    """
    from mobile_api.server.config_file import TABLES  # noqa: PLC0415 - loads the settings

    from_file: frozenset[str] = context.obj or frozenset()
    with report_errors(_errors):
        for table, settings in TABLES.items():
            for line in _lines(table, settings(), from_file):
                typer.echo(line)


def _lines(table: str, values: BaseModel, from_file: frozenset[str]) -> Iterator[str]:
    yield f"[{table}]"
    for name, field in type(values).model_fields.items():
        yield _line(table, name, getattr(values, name), field, from_file)
    yield ""


def _line(
    table: str, name: str, value: object, field: FieldInfo, from_file: frozenset[str]
) -> str:
    from mobile_api.server.config_file import ENVIRONMENT, variable  # noqa: PLC0415

    if variable(table, name) not in ENVIRONMENT:
        shown = "not set" if value is None else _toml(value)
        return f"# {name} = {shown}  # default"
    origin = "file" if variable(table, name) in from_file else "environment"
    if field.repr is False:
        return f"# {name} = …  # {origin}, not shown"
    return f"{name} = {_toml(value)}  # {origin}"


def _toml(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)
