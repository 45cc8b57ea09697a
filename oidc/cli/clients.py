"""``thenar client``: register the relying parties of this provider."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from oidc.app import utc_now
from oidc.cli.client_tokens import token
from oidc.cli.database import AsJson, print_json, protocol_database
from oidc.clients import registry, secrets
from oidc.clients.registry import Options
from oidc.errors import ClientRefused
from oidc.types import Authentication, ConfirmCode, Profile

if TYPE_CHECKING:
    from oidc.clients.registry import RegisteredClient
    from oidc.types import Client

client = typer.Typer(
    help="Register relying parties, list them, replace a secret, remove one.",
    no_args_is_help=True,
)

client.add_typer(token, name="token")

_ClientId = Annotated[
    str, typer.Argument(help="The client_id, as `thenar client list` shows it.")
]
_Jwks = Annotated[
    Path | None, typer.Option(help="File with its public keys (JWK set), for private_key_jwt.")
]


@client.command()
def add(  # noqa: PLR0913 - the options of a command are its parameters
    *,
    name: Annotated[str, typer.Option(help="What people read on the consent page.")],
    redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="Where codes may be sent, exactly. Repeat for several."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="What the client may ask for, separated by spaces.")
    ] = " ".join(registry.SCOPES),
    external_user_id: Annotated[
        bool, typer.Option(help="Repeat sub as external_user_id in ID tokens.")
    ] = True,
    authentication: Annotated[
        Authentication, typer.Option(help="How it proves itself; none is for public clients.")
    ] = Authentication.CLIENT_SECRET,
    jwks: _Jwks = None,
    pkce: Annotated[
        bool, typer.Option(help="Refuse requests without PKCE. Always on for public clients.")
    ] = False,
    id_token_alg: Annotated[
        str, typer.Option(help="Signature of its ID tokens: RS256 or ES256.")
    ] = registry.ID_TOKEN_ALGORITHMS[0],
    par: Annotated[
        bool, typer.Option(help="Refuse requests that the client did not push (RFC 9126).")
    ] = False,
    confirm_code: Annotated[
        ConfirmCode,
        typer.Option(help="When the browser must type a code that the phone shows."),
    ] = ConfirmCode.ON_RISK,
    dpop: Annotated[
        bool, typer.Option(help="Refuse token requests without a DPoP proof (RFC 9449).")
    ] = False,
    profile: Annotated[
        Profile | None,
        typer.Option(help="fapi2: PAR, PKCE, DPoP, ES256 and private_key_jwt, always."),
    ] = None,
    post_logout_redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="Where browsers may be sent after a logout, exactly. Repeatable."),
    ] = None,
    backchannel_logout_uri: Annotated[
        str | None, typer.Option(help="Where it is told of logouts: https, http on loopback.")
    ] = None,
    backchannel_logout_session_required: Annotated[
        bool,
        typer.Option(
            "--backchannel-logout-session-required",
            help="Tell it which session ended, always.",
        ),
    ] = False,
    resource_server: Annotated[
        bool,
        typer.Option(
            "--resource-server", help="An API: it may ask about every client's access tokens."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a client. Its secret is shown now and never again.

    Example: thenar client add --name "Corner Bookshop" --redirect-uri
        https://shop.example/callback
    """
    with protocol_database() as (settings, database), database.write() as stores:
        options = Options(
            scope=scope.split(),
            external_user_id=external_user_id,
            authentication=authentication,
            jwks=None if jwks is None else _read(jwks),
            require_pkce=pkce,
            id_token_algorithm=id_token_alg,
            resource_server=resource_server,
            require_par=par,
            require_dpop=dpop,
            confirm_code=confirm_code,
            profile=profile or settings.profile,
            post_logout_redirect_uris=post_logout_redirect_uri or [],
            backchannel_logout_uri=backchannel_logout_uri,
            backchannel_logout_session_required=backchannel_logout_session_required,
        )
        registered = registry.register(
            stores, name, redirect_uri or [], now=utc_now(), options=options
        )
    _print_registered(registered, as_json=as_json)


@client.command("list")
def list_clients(*, as_json: AsJson = False) -> None:
    """List every client, oldest first. Secrets are not kept and cannot be shown."""
    with protocol_database() as (_, database), database.read() as stores:
        found = stores.clients.all()
    if as_json:
        print_json([_described(each) for each in found])
        return
    # Folded, never cut: an identifier that ends in "…" cannot be copied.
    names = ("client_id", "name", "redirect URIs", "scope", "authentication")
    columns = [Column(name, overflow="fold") for name in names]
    columns[0].no_wrap = True
    columns[0].min_width = max((len(each.client_id) for each in found), default=0)
    table = Table(*columns, box=None)
    for each in found:
        table.add_row(
            each.client_id,
            each.name,
            "\n".join(each.redirect_uris),
            " ".join(each.scope),
            each.authentication + (" + PKCE" if each.require_pkce else ""),
        )
    Console().print(table)


@client.command("rotate-secret")
def rotate_secret(
    client_id: _ClientId,
    *,
    overlap: Annotated[
        int, typer.Option(help="Hours for which the old secret is good, too.", min=0, max=720)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Replace the secret of a client. The new one is shown now and never again.

    With --overlap both are good for a while, so that an app need not stop to change over.
    """
    with protocol_database() as (_, database), database.write() as stores:
        secret = secrets.rotate_secret(
            stores, client_id, now=utc_now(), overlap=timedelta(hours=overlap)
        )
    if as_json:
        print_json({"client_id": client_id, "client_secret": secret})
        return
    typer.echo(f"client_secret  {secret}")


@client.command()
def remove(client_id: _ClientId) -> None:
    """Remove a client with its pending logins, grants and tokens."""
    with protocol_database() as (_, database), database.write() as stores:
        registry.remove(stores, client_id, now=utc_now())
    typer.echo("removed")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise ClientRefused(f"the JWK set in {path} cannot be read") from fault


def _print_registered(registered: RegisteredClient, *, as_json: bool) -> None:
    shown = {"client_secret": registered.secret} if registered.secret else {}
    if as_json:
        print_json({**_described(registered.client), **shown})
        return
    typer.echo(f"client_id      {registered.client.client_id}")
    if shown:
        typer.echo(f"client_secret  {registered.secret}")
        typer.echo("Keep the secret on the server of the app: it is not shown again.")


def _described(each: Client) -> dict[str, object]:
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
        "profile": each.profile.value,
        "post_logout_redirect_uris": list(each.post_logout_redirect_uris),
        "backchannel_logout_uri": each.backchannel_logout_uri,
        "backchannel_logout_session_required": each.backchannel_logout_session_required,
        "id_token_signed_response_alg": each.id_token_algorithm,
    }
