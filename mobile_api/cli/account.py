"""``thenar account``: deletion by code, and disputes about a palm."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors
from mobile_api.types import Clock

if TYPE_CHECKING:
    from mobile_api.account.disputes import DisputedAccount

console: Final = Console(stderr=True, highlight=False)

_RENEW: Final = "Begin a new list? Who is missing on it comes back with an older backup."

_DisputeCode = Annotated[
    str, typer.Argument(help="The dispute code that the phone showed.", metavar="CODE")
]


def account_commands(clock: Clock) -> typer.Typer:
    """Return ``thenar account``."""
    account = typer.Typer(no_args_is_help=True, help="Accounts, which have no names.")

    @account.command()
    def delete(
        code: Annotated[str, typer.Argument(help="The deletion code that the phone showed.")],
    ) -> None:
        """Delete the account that a deletion code belongs to.

        Templates are deleted at once. The provider forgets the account within seconds, or when
        the service starts. Puts the account on the list of erasures, so that a restored backup
        does not bring it back.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            account_work.delete(code, clock)
        typer.echo("The account is deleted.")

    @account.command()
    def dispute(code: _DisputeCode) -> None:
        """Show what is known of the account that holds a disputed palm.

        No identifier and no biometric data. Days are UTC.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            _print(account_work.disputed(code))

    @account.command()
    def release(
        code: _DisputeCode,
        *,
        yes: Annotated[
            bool, typer.Option("--yes", help="Do not ask for confirmation.")
        ] = False,
    ) -> None:
        """Remove a disputed palm from the account that holds it, and tell its phones.

        Do this only for a person whom you see, with that palm. An account without another palm
        is deleted. This cannot be undone.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            disputed = account_work.disputed(code)
            if not yes:
                _print(disputed)
                typer.confirm(_question(disputed), err=True, abort=True)
            erased = account_work.release(code, clock)
        typer.echo("The palm is released." if erased is None else "The account is deleted.")

    @account.command()
    def erasures(
        *,
        renew: Annotated[
            bool,
            typer.Option("--renew", help="Begin a new list with what is left of a lost one."),
        ] = False,
        yes: Annotated[
            bool, typer.Option("--yes", help="Do not ask for confirmation.")
        ] = False,
    ) -> None:
        """Check the list of erasures against the database, and count its accounts.

        Whoever is on it is erased again if a restored backup brings them back. Stop all
        services before you renew it.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            if renew and not yes:
                typer.confirm(_RENEW, err=True, abort=True)
            count = account_work.erasures(renew=renew)
            typer.echo(f"{count} accounts are on the list of erasures.")

    return account


def _question(disputed: DisputedAccount) -> str:
    if disputed.palms > 1:
        return "Remove this palm from the account?"
    return "Remove this palm? It is the only one: the account will be deleted."


def _print(disputed: DisputedAccount) -> None:
    for name, value in {
        "palm": disputed.hand.value,
        "account since": _day(disputed.opened_at),
        "disputed since": _day(disputed.disputed_at),
        "last use": _day(disputed.last_used) if disputed.last_used else "unknown",
        "phones": f"{disputed.trusted_phones} trusted, {disputed.new_phones} new",
        "palms": disputed.palms,
    }.items():
        typer.echo(f"{name + ':':<16}{value}")


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _utc_now() -> datetime:
    from mobile_api.server.configuration import utc_now  # noqa: PLC0415 - loads settings

    return utc_now()


account: Final = account_commands(_utc_now)
