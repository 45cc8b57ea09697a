"""``thenar client``: register and manage relying parties."""

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
    help="Register, list and remove relying parties; replace secrets.",
    no_args_is_help=True,
)

client.add_typer(token, name="token")

_ClientId = Annotated[str, typer.Argument(help="client_id, as shown by `thenar client list`.")]
_Jwks = Annotated[
    Path | None,
    typer.Option(help="File with the client's public keys (JWK set), for private_key_jwt."),
]


@client.command()
def add(  # noqa: PLR0913 - the options of a command are its parameters
    *,
    name: Annotated[str, typer.Option(help="Name shown on the consent page.")],
    redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="Exact URI that codes may be sent to. Repeatable."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="Scopes the client may request, separated by spaces.")
    ] = " ".join(registry.SCOPES),
    external_user_id: Annotated[
        bool, typer.Option(help="Repeat sub as external_user_id in ID tokens.")
    ] = True,
    authentication: Annotated[
        Authentication,
        typer.Option(help="Client authentication method; none is for public clients."),
    ] = Authentication.CLIENT_SECRET,
    jwks: _Jwks = None,
    pkce: Annotated[
        bool, typer.Option(help="Refuse requests without PKCE. Always on for public clients.")
    ] = False,
    id_token_alg: Annotated[
        str, typer.Option(help="Signature algorithm of ID tokens: RS256 or ES256.")
    ] = registry.ID_TOKEN_ALGORITHMS[0],
    par: Annotated[
        bool,
        typer.Option(help="Refuse authorization requests that were not pushed (RFC 9126)."),
    ] = False,
    confirm_code: Annotated[
        ConfirmCode,
        typer.Option(help="When to require the confirmation code shown on the phone."),
    ] = ConfirmCode.ON_RISK,
    require_trusted_phone: Annotated[
        bool,
        typer.Option(
            "--require-trusted-phone", help="Let nobody sign in with a palm on a new phone."
        ),
    ] = False,
    dpop: Annotated[
        bool, typer.Option(help="Refuse token requests without a DPoP proof (RFC 9449).")
    ] = False,
    profile: Annotated[
        Profile | None,
        typer.Option(help="fapi2 requires PAR, PKCE, DPoP, ES256 and private_key_jwt."),
    ] = None,
    post_logout_redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="Exact URI for the browser after logout. Repeatable."),
    ] = None,
    backchannel_logout_uri: Annotated[
        str | None, typer.Option(help="Receives logout tokens. https, or http on loopback.")
    ] = None,
    backchannel_logout_session_required: Annotated[
        bool,
        typer.Option(
            "--backchannel-logout-session-required",
            help="Always include the session ID (sid) in logout tokens.",
        ),
    ] = False,
    resource_server: Annotated[
        bool,
        typer.Option(
            "--resource-server", help="An API that may introspect every client's access tokens."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a client. Its secret is shown only once.

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
            require_trusted_phone=require_trusted_phone,
        )
        registered = registry.register(
            stores, name, redirect_uri or [], now=utc_now(), options=options
        )
    _print_registered(registered, as_json=as_json)


@client.command("list")
def list_clients(*, as_json: AsJson = False) -> None:
    """List all clients, oldest first. Secrets are not stored and cannot be shown."""
    with protocol_database() as (_, database), database.read() as stores:
        found = stores.clients.all()
    if as_json:
        print_json([_described(each) for each in found])
        return
    # Fold, so that identifiers can be copied.
    names = ("client_id", "name", "redirect URIs", "scope", "authentication", "phone")
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
            "trusted" if each.require_trusted_phone else "any",
        )
    Console().print(table)


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
        typer.echo("Store the secret on the app's server. It is not shown again.")


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
        "require_trusted_phone": each.require_trusted_phone,
        "profile": each.profile.value,
        "post_logout_redirect_uris": list(each.post_logout_redirect_uris),
        "backchannel_logout_uri": each.backchannel_logout_uri,
        "backchannel_logout_session_required": each.backchannel_logout_session_required,
        "id_token_signed_response_alg": each.id_token_algorithm,
    }
