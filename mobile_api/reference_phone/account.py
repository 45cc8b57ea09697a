"""``thenar phone apps|withdraw|delete``: manage an account, verified by a palm."""

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
    own_palm,
    print_line,
    report_phone_errors,
)


def apps(
    context: typer.Context,
    palm: OwnPalm = None,
    api: Api = None,
    state: State = None,
) -> None:
    """List the apps you have signed in to, each under a different identifier."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        found = phone.connections(own_palm(context, phone, palm)).connections
        for each in found:
            since = datetime.fromtimestamp(each.since, UTC).date()
            name = f"[bold]{escape(each.client_name)}[/bold] ({escape(each.client_host)})"
            print_line(f"{each.handle}  {name}, since {since}")
        if not found:
            print_line("No apps are connected.")


def withdraw(
    context: typer.Context,
    handle: Annotated[str, typer.Argument(help="From `thenar phone apps`.")],
    palm: OwnPalm = None,
    api: Api = None,
    state: State = None,
) -> None:
    """Disconnect an app: it will no longer recognise you."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        proof = phone.connections(own_palm(context, phone, palm)).palm_proof
        left = phone.withdraw(handle, proof).connections
        print_line(f"Disconnected. {len(left)} left.")


def delete(
    context: typer.Context,
    palm: OwnPalm = None,
    api: Api = None,
    state: State = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete your account: all templates, devices and pseudonyms."""
    with report_phone_errors(), open_phone(context, state, api) as phone:
        if not yes:
            typer.confirm("Delete your account permanently?", abort=True)
        phone.delete_account(own_palm(context, phone, palm))
        print_line("Deleted. No app will recognise you any more.")
