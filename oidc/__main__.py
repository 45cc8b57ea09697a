"""``thenar client``: register the relying parties of this provider."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Column, Table

from oidc import clients
from oidc.app import open_database, utc_now
from oidc.errors import ClientFault, DatabaseNotMigrated
from oidc.settings import OidcSettings, describe_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oidc.clients import Registered
    from oidc.storage.transactions import Transactions
    from oidc.types import Client

client = typer.Typer(
    help="Register relying parties, list them, replace a secret, remove one.",
    no_args_is_help=True,
)

_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
_ClientId = Annotated[
    str, typer.Argument(help="The client_id, as `thenar client list` shows it.")
]


@client.command()
def add(
    *,
    name: Annotated[str, typer.Option(help="What people read on the consent page.")],
    redirect_uri: Annotated[
        list[str],
        typer.Option(help="Where codes may be sent, exactly. Repeat for several."),
    ],
    scope: Annotated[
        str, typer.Option(help="What the client may ask for, separated by spaces.")
    ] = " ".join(clients.SCOPES),
    external_user_id: Annotated[
        bool, typer.Option(help="Repeat sub as external_user_id in ID tokens.")
    ] = True,
    as_json: _AsJson = False,
) -> None:
    """Register a client. Its secret is shown now and never again.

    Example: thenar client add --name "Corner Bookshop" --redirect-uri
        https://shop.example/callback
    """
    with _database() as database, database.write() as stores:
        registered = clients.register(
            stores,
            name,
            redirect_uri,
            now=utc_now(),
            scope=scope.split(),
            external_user_id=external_user_id,
        )
    _show_registered(registered, as_json=as_json)


@client.command("list")
def list_clients(*, as_json: _AsJson = False) -> None:
    """List every client, oldest first. Secrets are not kept and cannot be shown."""
    with _database() as database, database.read() as stores:
        found = stores.clients.all()
    if as_json:
        _print_json([_described(each) for each in found])
        return
    # Folded, never cut: an identifier that ends in "…" cannot be copied.
    columns = [
        Column(n, overflow="fold") for n in ("client_id", "name", "redirect URIs", "scope")
    ]
    columns[0].no_wrap = True
    columns[0].min_width = max((len(each.client_id) for each in found), default=0)
    table = Table(*columns, box=None)
    for each in found:
        table.add_row(
            each.client_id, each.name, "\n".join(each.redirect_uris), " ".join(each.scope)
        )
    Console().print(table)


@client.command("rotate-secret")
def rotate_secret(client_id: _ClientId, *, as_json: _AsJson = False) -> None:
    """Replace the secret of a client at once. The new one is shown now and never again."""
    with _database() as database, database.write() as stores:
        secret = clients.rotate_secret(stores, client_id)
    if as_json:
        _print_json({"client_id": client_id, "client_secret": secret})
        return
    typer.echo(f"client_secret  {secret}")


@client.command()
def remove(client_id: _ClientId) -> None:
    """Remove a client with its pending logins, grants and tokens."""
    with _database() as database, database.write() as stores:
        clients.remove(stores, client_id)
    typer.echo("removed")


@contextmanager
def _database() -> Iterator[Transactions]:
    """Open the protocol database of the environment's settings, or end with one line."""
    try:
        database = open_database(OidcSettings())
        try:
            yield database
        finally:
            database.close()
    except ValidationError as faults:
        _give_up(describe_faults(faults))
    except (ClientFault, DatabaseNotMigrated) as fault:
        _give_up(str(fault))


def _give_up(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(1)


def _show_registered(registered: Registered, *, as_json: bool) -> None:
    if as_json:
        _print_json({**_described(registered.client), "client_secret": registered.secret})
        return
    typer.echo(f"client_id      {registered.client.client_id}")
    typer.echo(f"client_secret  {registered.secret}")
    typer.echo("Keep the secret on the server of the app: it is not shown again.")


def _described(each: Client) -> dict[str, object]:
    return {
        "client_id": each.client_id,
        "client_name": each.name,
        "redirect_uris": list(each.redirect_uris),
        "scope": " ".join(each.scope),
        "external_user_id": each.external_user_id,
    }


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=2))


if __name__ == "__main__":
    client()
