"""``thenar portal``: developers who may register clients in a browser."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from oidc.cli.database import AsJson, fail, print_json, print_rows, protocol_database
from oidc.portal.system_clients import ensure_system_clients, is_served
from oidc.types import utc_now

if TYPE_CHECKING:
    from oidc.portal.developers import Invited
    from oidc.settings import OidcSettings
    from oidc.storage.stores.developers import Developer

portal = typer.Typer(
    help="Invite, list and remove developers of the portal.", no_args_is_help=True
)

_DeveloperId = Annotated[
    str, typer.Argument(help="developer_id, as shown by `thenar portal list`.")
]


@portal.command()
def invite(
    *,
    email: Annotated[str, typer.Option(help="E-mail address of the developer.")],
    note: Annotated[str, typer.Option(help="Your note, shown in the list.")] = "",
    days: Annotated[
        int, typer.Option(help="Days until the invitation expires.", min=1, max=30)
    ] = 7,
    as_json: AsJson = False,
) -> None:
    """Print an invitation link for one developer. It works once and is shown only once.

    No e-mail is sent: pass on the link yourself, over a channel that you trust.
    """
    from oidc.keys import load_cipher  # noqa: PLC0415 - help needs no keys
    from oidc.portal import developers  # noqa: PLC0415

    with protocol_database() as (settings, database), database.write() as stores:
        _require_served(settings)
        cipher = load_cipher(settings.key_source)
        now = utc_now()
        ensure_system_clients(stores, settings, cipher, now)
        invited = developers.invite(stores, email, note, timedelta(days=days), now)
    _print_link(settings, invited, now, as_json=as_json)


@portal.command()
def link(
    developer_id: _DeveloperId,
    *,
    hours: Annotated[
        int, typer.Option(help="Hours until the link expires.", min=1, max=168)
    ] = 24,
    as_json: AsJson = False,
) -> None:
    """Print a new one-time link for a developer. An earlier one and all sessions end.

    With PORTAL_PALM=false the link signs in the first person to open it: send it over a channel
    that you trust. Otherwise it lets a developer join again, who has deleted the account or
    disconnected the portal; the clients are still there.
    """
    from oidc.portal import developers  # noqa: PLC0415 - help needs no tables

    with protocol_database() as (settings, database), database.write() as stores:
        _require_served(settings)
        now = utc_now()
        given = developers.give_link(
            stores, developer_id, timedelta(hours=hours), now, has_palm=settings.portal_palm
        )
    _print_link(settings, given, now, as_json=as_json)


@portal.command("list")
def list_developers(*, as_json: AsJson = False) -> None:
    """List all developers, oldest first, with their number of clients."""
    now = utc_now()
    with protocol_database() as (_, database), database.read() as stores:
        rows = [
            {
                **_described(each, now),
                "clients": str(len(stores.owned_clients.of(each.developer_id))),
            }
            for each in stores.developers.all()
        ]
    names = ("developer_id", "email", "note", "state", "invited at", "clients")
    print_rows(rows, names=names, as_json=as_json)


@portal.command()
def remove(developer_id: _DeveloperId) -> None:
    """Remove a developer or an invitation and sign them out. Their clients keep working."""
    from oidc.portal import developers  # noqa: PLC0415 - help needs no tables

    with protocol_database() as (_, database), database.write() as stores:
        developers.remove(stores, developer_id, utc_now())
    typer.echo("removed")


@portal.command()
def assign(
    client_id: Annotated[
        str, typer.Argument(help="client_id, as shown by `thenar client list`.")
    ],
    developer_id: _DeveloperId,
) -> None:
    """Make a developer the owner of a client. The former owner loses it; members stay."""
    from oidc.portal import teams  # noqa: PLC0415 - help needs no tables

    with protocol_database() as (_, database), database.write() as stores:
        teams.assign(stores, client_id, developer_id, utc_now())
    typer.echo("assigned")


def _require_served(settings: OidcSettings) -> None:
    if not is_served(settings):
        fail("the portal is off: THENAR_OIDC_PORTAL is false or PROFILE is fapi2")


def _print_link(
    settings: OidcSettings, invited: Invited, now: datetime, *, as_json: bool
) -> None:
    address = f"{settings.auth_url}/portal/join#{invited.invitation}"
    if as_json:
        print_json({**_described(invited.developer, now), "link": address})
        return
    typer.echo(f"developer_id  {invited.developer.developer_id}")
    typer.echo(f"link          {address}")


def _described(developer: Developer, now: datetime) -> dict[str, str]:
    is_over = developer.invitation_ends_at <= now
    waiting = "expired" if is_over else "invited"
    return {
        "developer_id": developer.developer_id,
        "email": developer.email,
        "note": developer.note,
        "state": waiting if developer.joined_at is None else "joined",
        "invited_at": developer.invited_at.isoformat(timespec="seconds"),
    }
