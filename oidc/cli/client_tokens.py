"""``thenar client token``: initial access tokens for the registration endpoint."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from oidc.cli.database import AsJson, print_fields, print_rows, protocol_database
from oidc.types import utc_now

if TYPE_CHECKING:
    from oidc.storage.stores.clients import InitialAccessToken

token = typer.Typer(
    help="Issue, list and revoke initial access tokens (RFC 7591).", no_args_is_help=True
)


@token.command()
def add(
    *,
    name: Annotated[str, typer.Option(help="Who receives the token.")],
    days: Annotated[int, typer.Option(help="Days until it expires.", min=1, max=365)] = 30,
    as_json: AsJson = False,
) -> None:
    """Issue a token that allows its holder to register clients. It is shown only once."""
    from oidc.clients.registration import issue_initial_token  # noqa: PLC0415 - not for help

    with protocol_database() as (_, database), database.write() as stores:
        given = issue_initial_token(stores, name, timedelta(days=days), utc_now())
    fields = {"token_id": given.stored.token_id, "initial_access_token": given.token}
    print_fields(fields, as_json=as_json)


@token.command("list")
def list_tokens(*, as_json: AsJson = False) -> None:
    """List all tokens, oldest first. Their secrets are not stored."""
    now = utc_now()
    with protocol_database() as (_, database), database.read() as stores:
        rows = [_described(each, now) for each in stores.initial_tokens.all()]
    print_rows(rows, names=("token_id", "name", "expires at", "state"), as_json=as_json)


@token.command()
def revoke(
    token_id: Annotated[
        str, typer.Argument(help="token_id, as shown by `thenar client token list`.")
    ],
) -> None:
    """Revoke a token at once. Clients registered with it stay."""
    from oidc.clients.registration import revoke_initial_token  # noqa: PLC0415 - not for help

    with protocol_database() as (_, database), database.write() as stores:
        revoke_initial_token(stores, token_id, utc_now())
    typer.echo("revoked")


def _described(kept: InitialAccessToken, now: datetime) -> dict[str, str]:
    is_over = kept.expires_at <= now
    state = "revoked" if kept.revoked_at is not None else "expired" if is_over else "good"
    return {
        "token_id": kept.token_id,
        "name": kept.name,
        "expires_at": kept.expires_at.isoformat(timespec="seconds"),
        "state": state,
    }
