"""``thenar station``: browsers of the operator's at which people sign in without a phone."""

import json
from typing import Annotated, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors
from mobile_api.types import Station, StationChallenge

console: Final = Console(stderr=True, highlight=False)

station: Final = typer.Typer(
    no_args_is_help=True, help="Browsers at which people sign in without a phone."
)

_Name = Annotated[str, typer.Argument(help="Shown at the station, for example “Ward 3”.")]
_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@station.command()
def add(
    name: _Name,
    *,
    networks: Annotated[
        str,
        typer.Option(
            help="Only networks that it works in, such as 10.1.0.0/16,2001:db8::/48.",
            show_default="any",
        ),
    ] = "",
    challenge: Annotated[
        StationChallenge,
        typer.Option(
            help="Ask for a moving hand as on a new phone, or for one picture: then you answer"
            " for what is held before the camera."
        ),
    ] = StationChallenge.HAND,
    as_json: _AsJson = False,
) -> None:
    """Add a station and print the link that makes one browser this station.

    The link works once, within a day. Open it in the browser that people will sign in with.
    """
    from mobile_api.cli import station_work  # noqa: PLC0415 - loads the database

    with report_errors(console):
        code, link = station_work.add(name, networks, challenge)
    if as_json:
        typer.echo(json.dumps({"name": name, "code": code, "link": link}, indent=2))
        return
    typer.echo(f"code  {code}\nlink  {link}")


@station.command("list")
def list_stations(*, as_json: _AsJson = False) -> None:
    """List stations: networks, challenge, and the day of the last sign-in (UTC)."""
    from mobile_api.cli import station_work  # noqa: PLC0415 - loads the database

    with report_errors(console):
        rows = [_described(each) for each in station_work.all_stations()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo("  ".join(row.values()))


@station.command()
def remove(name: _Name) -> None:
    """Remove a station. Its key works no more, from now on."""
    from mobile_api.cli import station_work  # noqa: PLC0415 - loads the database

    with report_errors(console):
        station_work.remove(name)
    typer.echo("removed")


def _described(each: Station) -> dict[str, str]:
    used = "never" if each.used_on is None else each.used_on.date().isoformat()
    return {
        "name": each.name,
        "networks": each.networks or "any",
        "challenge": each.challenge.value,
        "state": "enrolled" if each.is_enrolled else "waits for its browser",
        "last_used": used,
    }
