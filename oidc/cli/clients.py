"""``thenar client``: register and manage relying parties."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from oidc.cli.client_options import (
    Choices,
    RedirectUris,
    options_of,
    takes_choices,
    warn_of_missing_pkce,
)
from oidc.cli.client_tokens import token
from oidc.cli.database import AsJson, print_fields, print_json, protocol_database
from oidc.clients import logos, registry, secrets
from oidc.clients.registry import Options
from oidc.errors import ClientRefused
from oidc.opening import utc_now
from oidc.types import Authentication

if TYPE_CHECKING:
    from collections.abc import Container

    from oidc.clients.registry import RegisteredClient
    from oidc.settings import OidcSettings
    from oidc.storage.stores.clients.errors import ClientError
    from oidc.types import Client

client = typer.Typer(
    help="Register, show, change and remove relying parties; replace secrets.",
    no_args_is_help=True,
)

client.add_typer(token, name="token")

_ClientId = Annotated[str, typer.Argument(help="client_id, as shown by `thenar client list`.")]


_SANDBOX = (
    "A sandbox client lets anybody sign in as one of ten people who do not exist. Never give "
    "it to an app that real people use."
)


@client.command()
@takes_choices
def add(
    *,
    name: Annotated[str, typer.Option(help="Name shown on the consent page.")],
    authentication: Annotated[
        Authentication,
        typer.Option(help="Client authentication method; none is for public clients."),
    ] = Authentication.CLIENT_SECRET,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox",
            help="For tests: signs in ten scripted people, without a palm, and nobody else. "
            "Cannot be changed later.",
        ),
    ] = False,
    redirect_uri: RedirectUris = None,
    choices: Choices,
    as_json: AsJson = False,
) -> None:
    """Register a client. Its secret is shown only once.

    Example: thenar client add --name "Corner Bookshop" --redirect-uri
        https://shop.example/callback
    """
    with protocol_database() as (settings, database), database.write() as stores:
        options = choices.applied_to(
            Options(authentication=authentication, profile=settings.profile, sandbox=sandbox)
        )
        _require_reachable(settings, options)
        registered = registry.register(
            stores, name, redirect_uri or [], now=utc_now(), options=options
        )
    warn_of_missing_pkce(registered.client)
    if sandbox:
        typer.echo(_SANDBOX, err=True)
    _print_registered(registered, as_json=as_json)


@client.command()
@takes_choices
def update(
    client_id: _ClientId,
    *,
    name: Annotated[str | None, typer.Option(help="Name shown on the consent page.")] = None,
    redirect_uri: RedirectUris = None,
    add_redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="One more URI, beside the present ones. Repeatable."),
    ] = None,
    choices: Choices,
    as_json: AsJson = False,
) -> None:
    """Change a client. Its ID, its secret and the pseudonyms that it knows stay.

    What you leave out stays as it is. Repeatable options replace the whole list; an empty
    text ("") removes what was there.

    Example: thenar client update CLIENT_ID --add-redirect-uri https://shop.example/cb
    """
    with protocol_database() as (settings, database), database.write() as stores:
        present = registry.require_locked(stores, client_id)
        own = stores.registrations.client_ids()
        options = choices.applied_to(options_of(present))
        if choices.backchannel_logout_uri:
            _require_reachable(settings, options)
        uris = [*(redirect_uri or present.redirect_uris), *(add_redirect_uri or [])]
        changed = registry.update(
            stores, present, name or present.name, uris, options, now=utc_now()
        )
    warn_of_missing_pkce(changed)
    _print_client(changed, own, as_json=as_json)


def _require_reachable(settings: OidcSettings, options: Options) -> None:
    """Say at once what would never be delivered. Raises ``ClientRefused``."""
    allows_private_hosts = settings.allows_private_hosts
    registry.require_reachable(options, allows_private_hosts=allows_private_hosts)


@client.command()
def show(client_id: _ClientId, *, as_json: AsJson = False) -> None:
    """Show everything that is registered of a client, except what is secret."""
    with protocol_database() as (_, database), database.read() as stores:
        found, own = registry.require(stores, client_id), stores.registrations.client_ids()
    _print_client(found, own, as_json=as_json)


@client.command()
def errors(client_id: _ClientId, *, as_json: AsJson = False) -> None:
    """List the latest errors that a client was sent, newest first."""
    with protocol_database() as (_, database), database.read() as stores:
        told = stores.client_errors.of(registry.require(stores, client_id).client_id)
    if as_json:
        print_json([{**asdict(each), "happened_at": _iso(each)} for each in told])
        return
    table = Table("when", "endpoint", "error", Column("why", overflow="fold"), box=None)
    for each in told:
        table.add_row(_iso(each), each.endpoint, each.error, each.description)
    Console().print(table)


@client.command("list")
def list_clients(*, as_json: AsJson = False) -> None:
    """List all clients, oldest first. Secrets are not stored and cannot be shown."""
    with protocol_database() as (_, database), database.read() as stores:
        found, own = stores.clients.all(), stores.registrations.client_ids()
    if as_json:
        print_json([_described(each, own) for each in found])
        return
    for each in found:
        typer.echo("\n".join(_listed(each, own)))


def _listed(client: Client, own: Container[str]) -> list[str]:
    """Return lines that are never broken: identifiers and addresses are copied from them."""
    traits = [
        client.authentication + (" + PKCE" if client.require_pkce else ""),
        "scope " + " ".join(client.scope),
        "trusted devices",
        *(["stations"] if client.accept_stations else []),
        *(["palm alone"] if client.accept_palm_alone else []),
        *(["native"] if client.native else []),
        *(["sandbox"] if client.sandbox else []),
        *(["registered by itself"] if client.client_id in own else []),
    ]
    uris = [f"  {each}" for each in client.redirect_uris]
    return [f"{client.client_id}  {client.name}", *uris, f"  {', '.join(traits)}"]


@client.command()
def logo(
    client_id: _ClientId,
    picture: Annotated[
        Path | None,
        typer.Argument(help="A square PNG of 64 to 256 pixels; none removes the logo."),
    ] = None,
) -> None:
    """Set or remove the logo that people see on the consent page.

    Of the file nothing is kept but the picture: no texts, no places.
    """
    with protocol_database() as (_, database), database.write() as stores:
        found = registry.require_locked(stores, client_id)
        if picture is None:
            logos.remove_logo(stores, found, utc_now())
        else:
            logos.set_logo(stores, found, _read(picture), utc_now())
    typer.echo("removed" if picture is None else "set")


def _read(picture: Path) -> bytes:
    """Return the bytes of a file. Raises ``ClientRefused``."""
    try:
        return picture.read_bytes()
    except OSError as fault:
        raise ClientRefused(f"{picture} cannot be read") from fault


@client.command("rotate-secret")
def rotate_secret(
    client_id: _ClientId,
    *,
    overlap: Annotated[
        int, typer.Option(help="Hours for which the old secret stays valid.", min=0, max=720)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Replace the secret of a client. The new secret is shown only once.

    With --overlap the old one stays valid, so that the app can switch without downtime.
    """
    with protocol_database() as (_, database), database.write() as stores:
        secret = secrets.rotate_secret(
            stores, client_id, now=utc_now(), overlap=timedelta(hours=overlap)
        )
    shown = {"client_id": client_id, "client_secret": secret}
    print_fields(shown if as_json else {"client_secret": secret}, as_json=as_json)


@client.command()
def remove(client_id: _ClientId) -> None:
    """Remove a client with its pending logins, grants and tokens."""
    with protocol_database() as (_, database), database.write() as stores:
        registry.remove(stores, client_id, now=utc_now())
    typer.echo("removed")


def _print_registered(registered: RegisteredClient, *, as_json: bool) -> None:
    shown = {"client_secret": registered.secret} if registered.secret else {}
    if as_json:
        print_json({**_described(registered.client, ()), **shown})
        return
    typer.echo(f"client_id      {registered.client.client_id}")
    if shown:
        typer.echo(f"client_secret  {registered.secret}")
        typer.echo("Store the secret on the app's server. It is not shown again.")


def _print_client(found: Client, own: Container[str], *, as_json: bool) -> None:
    described = _described(found, own)
    if as_json:
        print_json(described)
        return
    width = max(map(len, described))
    for name, value in described.items():
        lines = value if isinstance(value, list) else [str(value)]
        for heading, line in zip_longest([name], lines or [""], fillvalue=""):
            typer.echo(f"{heading:<{width}}  {line}".rstrip())


def _iso(error: ClientError) -> str:
    return error.happened_at.isoformat(timespec="seconds")


def _described(each: Client, own: Container[str]) -> dict[str, object]:
    """Return what is registered; ``own`` are the clients that registered themselves."""
    return {
        "client_id": each.client_id,
        "client_name": each.name,
        "redirect_uris": list(each.redirect_uris),
        "scope": " ".join(each.scope),
        "external_user_id": each.external_user_id,
        "authentication": each.authentication.value,
        "require_pkce": each.require_pkce,
        "resource_server": each.resource_server,
        "require_pushed_authorization_requests": each.require_par,
        "dpop_bound_access_tokens": each.require_dpop,
        "confirm_code": each.confirm_code.value,
        "accept_palm_alone": each.accept_palm_alone,
        "accept_stations": each.accept_stations,
        "sandbox": each.sandbox,
        "native": each.native,
        "profile": each.profile.value,
        "post_logout_redirect_uris": list(each.post_logout_redirect_uris),
        "backchannel_logout_uri": each.backchannel_logout_uri,
        "backchannel_logout_session_required": each.backchannel_logout_session_required,
        "id_token_signed_response_alg": each.id_token_algorithm,
        "registered_itself": each.client_id in own,
    }
