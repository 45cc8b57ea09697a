"""``thenar phone apps|withdraw|delete``: what a person may see and take back, by a palm."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape

from mobile_api.reference_phone.session import (
    Api,
    OwnPalm,
    State,
    open_phone,
    print_line,
    report_phone_errors,
)


def apps(
    context: typer.Context,
    palm: OwnPalm,
    api: Api = None,
    state: State = None,
) -> None:
    """List the applications that know you, each by a pseudonym of its own."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        found = phone.connections(palm.read_bytes()).connections
        for each in found:
            since = datetime.fromtimestamp(each.since, UTC).date()
            name = f"[bold]{escape(each.client_name)}[/bold] ({escape(each.client_host)})"
            print_line(f"{each.handle}  {name}, since {since}")
        if not found:
            print_line("No application knows you.")


def withdraw(
    context: typer.Context,
    handle: Annotated[str, typer.Argument(help="As `thenar phone apps` shows it.")],
    palm: OwnPalm,
    api: Api = None,
    state: State = None,
) -> None:
    """Take yourself back from one application: it will not recognise you any more."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        proof = phone.connections(palm.read_bytes()).palm_proof
        left = phone.withdraw(handle, proof).connections
        print_line(f"Withdrawn. {len(left)} left.")


def delete(
    context: typer.Context,
    palm: OwnPalm,
    api: Api = None,
    state: State = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
) -> None:
    """Delete your account: every template, every bond to a phone, every pseudonym."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        if not yes:
            typer.confirm("Delete your account everywhere, for good?", abort=True)
        phone.delete_account(palm.read_bytes())
        print_line("Deleted. No application will recognise you any more.")
