"""``thenar client``: register and manage relying parties."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict
from datetime import timedelta
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Column, Table

from oidc.cli.client_tokens import token
from oidc.cli.database import AsJson, print_fields, print_json, protocol_database
from oidc.client import Client, Setter
from oidc.clients import logos, registry
from oidc.clients.options import OPTIONS, Kind, Option, check, describe
from oidc.clients.registry import RegisteredClient
from oidc.errors import ClientRefused
from oidc.types import utc_now

if TYPE_CHECKING:
    from oidc.storage.stores.clients import ClientError

client = typer.Typer(
    help="Register, show, change and remove relying parties; replace secrets.",
    no_args_is_help=True,
)

client.add_typer(token, name="token")

_ClientId = Annotated[str, typer.Argument(help="client_id, as shown by `thenar client list`.")]


_RedirectUris = Annotated[
    list[str] | None, typer.Option(help="Exact URI that codes may be sent to. Repeatable.")
]

_SANDBOX = (
    "A sandbox client lets anybody sign in as one of ten people who do not exist. Never give "
    "it to an app that real people use."
)

_TYPES: Final[dict[Kind, type]] = {
    Kind.FLAG: bool,
    Kind.TEXT: str,
    Kind.WORDS: str,
    Kind.LINES: list[str],
    Kind.KEYS: Path,
}


def _takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a client, handed on as the document ``typed``.

    What is not typed is left out. Only a command without ``client_id`` makes a client.
    """
    own = signature(command, eval_str=True).parameters
    taken = [each for each in OPTIONS if each.flag and not (each.fixed and "client_id" in own)]

    @wraps(command)
    def called(*arguments: object, **given: Any) -> None:  # noqa: ANN401
        typed = {each.name: given.pop(_parameter(each).name) for each in taken}
        command(*arguments, **given, typed=typed)

    parameters = [each for each in own.values() if each.name != "typed"]
    parameters += map(_parameter, taken)
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _parameter(option: Option) -> Parameter:
    """Return the parameter of an option; None: not typed."""
    one = next(iter(option.values.values()), None)
    kind = _TYPES[option.kind] if one is None else type(one)
    both = kind is bool and not option.fixed
    words = f"--{option.flag}/--no-{option.flag}" if both else f"--{option.flag}"
    hint = Annotated[kind | None, typer.Option(words, help=option.words)]  # type: ignore[valid-type]
    name = option.flag.replace("-", "_")
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)


def _document(typed: Mapping[str, Any]) -> dict[str, object]:
    """Return what was typed as documents have it; an empty text removes what was there."""
    given = ((each, typed[each.name]) for each in OPTIONS if typed.get(each.name) is not None)
    return {option.name: _written(option, value) for option, value in given}


def _written(option: Option, value: Any) -> object:  # noqa: ANN401
    match option.kind:
        case Kind.KEYS:
            return _read_json(value)
        case Kind.WORDS:
            return value
        case _:
            return option.written(value)


@client.command()
@_takes_options
def add(
    *,
    name: Annotated[str, typer.Option(help="Name shown on the consent page.")],
    redirect_uri: _RedirectUris = None,
    typed: dict[str, Any],
    as_json: AsJson = False,
) -> None:
    """Register a client. Its secret is shown only once.

    Example: thenar client add --name "Corner Bookshop" --redirect-uri
        https://shop.example/callback
    """
    with protocol_database() as (settings, database), database.write() as stores:
        own = {"client_name": name, "redirect_uris": redirect_uri or []}
        checked = check(own | _document(typed), settings.policy(Setter.OPERATOR))
        registered = registry.register(stores, checked, now=utc_now())
    if registered.client.sandbox:
        typer.echo(_SANDBOX, err=True)
    _print_registered(registered, as_json=as_json)


@client.command()
@_takes_options
def update(
    client_id: _ClientId,
    *,
    name: Annotated[str | None, typer.Option(help="Name shown on the consent page.")] = None,
    redirect_uri: _RedirectUris = None,
    add_redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="One more URI, beside the present ones. Repeatable."),
    ] = None,
    typed: dict[str, Any],
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
        uris = [*(redirect_uri or present.redirect_uris), *(add_redirect_uri or [])]
        named = {"client_name": name or present.name, "redirect_uris": uris}
        document = describe(present) | named | _document(typed)
        checked = check(document, settings.policy(Setter.OPERATOR, present))
        changed = registry.update(stores, present, checked, now=utc_now())
    _print_client(changed, own, as_json=as_json)


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
        found = stores.client_errors.of(registry.require(stores, client_id).client_id)
    if as_json:
        print_json([{**asdict(each), "happened_at": _iso(each)} for each in found])
        return
    table = Table("when", "endpoint", "error", Column("why", overflow="fold"), box=None)
    for each in found:
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


def _read(file: Path) -> bytes:
    """Return the bytes of a file. Raises ``ClientRefused``."""
    try:
        return file.read_bytes()
    except OSError as fault:
        raise ClientRefused(f"{file} cannot be read") from fault


def _read_json(file: Path) -> object:
    try:
        return json.loads(_read(file))
    except (ValueError, RecursionError) as fault:
        raise ClientRefused(f"{file} cannot be read as JSON") from fault


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
        secret = registry.rotate_secret(
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
    width = max(map(len, described)) + 2
    for name, value in described.items():
        lines = value if isinstance(value, list) else [str(value)]
        typer.echo((f"{name:<{width}}" + f"\n{'':{width}}".join(lines)).rstrip())


def _iso(error: ClientError) -> str:
    return error.happened_at.isoformat(timespec="seconds")


def _described(each: Client, own: Container[str]) -> dict[str, object]:
    """Return what is registered; ``own`` are the clients that registered themselves."""
    described = describe(each)
    del described["token_endpoint_auth_method"], described["application_type"]
    return {
        "client_id": each.client_id,
        **described,
        "authentication": each.authentication.value,
        "native": each.native,
        "registered_itself": each.client_id in own,
    }
