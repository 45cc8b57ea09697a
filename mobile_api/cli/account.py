"""``thenar account``: deletion by code, disputes about a palm, codes for motions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors
from mobile_api.types import Clock
from oidc.types import utc_now

if TYPE_CHECKING:
    from mobile_api.account.disputes import DisputedPalm, Party

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
    def dispute(
        code: _DisputeCode,
        *,
        suspend: Annotated[
            bool, typer.Option("--suspend", help="Refuse this palm at sign-in for 30 days.")
        ] = False,
        dismiss: Annotated[
            bool, typer.Option("--dismiss", help="Let this palm sign in as before.")
        ] = False,
    ) -> None:
        """Show what is known of both accounts that claim a palm, and lock or unlock it.

        No identifier and no biometric data. Days are UTC.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            _print(account_work.disputed(code, clock, suspend=suspend, dismiss=dismiss))

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
            disputed = account_work.disputed(code, clock)
            if not yes:
                _print(disputed)
                typer.confirm(_question(disputed), err=True, abort=True)
            erased = account_work.release(code, clock)
        typer.echo("The palm is released." if erased is None else "The account is deleted.")

    @account.command()
    def motions() -> None:
        """Print a code with which one person may leave out motions of a challenge.

        Give it to a person whom you see and who cannot do every motion. The first device that
        uses it may leave out motions for seven days from now; no other device can use it.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            typer.echo(account_work.motions_code(clock))

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

        An account on it is erased again if a restored backup brings it back. Stop all
        services before you renew it.
        """
        from mobile_api.cli import account_work  # noqa: PLC0415 - loads the database

        with report_errors(console):
            if renew and not yes:
                typer.confirm(_RENEW, err=True, abort=True)
            count = account_work.erasures(renew=renew)
            typer.echo(f"{count} accounts are on the list of erasures.")

    return account


def _question(disputed: DisputedPalm) -> str:
    if disputed.holder.other_palm:
        return "Remove this palm from the account?"
    return "Remove this palm? It is the only one: the account will be deleted."


def _print(disputed: DisputedPalm) -> None:
    _line("palm", disputed.hand.value)
    _line("disputed since", _day(disputed.disputed_at))
    _line("opens nothing", disputed.lock.name.lower().replace("_", " "))
    _print_party("Held by", disputed.holder)
    if disputed.claimant is not None:
        _print_party("Claimed by", disputed.claimant)


def _print_party(role: str, party: Party) -> None:
    _line(f"{role} an account since", _day(party.opened_at))
    _line("  last use", _day(party.last_used) if party.last_used else "unknown")
    _line("  phones", f"{party.trusted_phones} trusted, {party.new_phones} new")
    _line("  other palm", "yes" if party.other_palm else "no")


def _line(name: str, value: str) -> None:
    typer.echo(f"{name + ':':<29}{value}")


def _day(at: datetime) -> str:
    return at.date().isoformat()


account: Final = account_commands(utc_now)
