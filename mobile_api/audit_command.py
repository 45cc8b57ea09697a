"""``thenar audit`` and ``thenar account``: what happened, and deleting for a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer
from rich.console import Console

from mobile_api.audit import require_whole
from mobile_api.deletion import erase_by_code
from mobile_api.errors import AuditBroken
from mobile_api.settings import MobileSettings
from mobile_api.spoken import spoken_faults
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.migrate import require_current
from mobile_api.types import Clock

console: Final = Console(stderr=True, highlight=False)


@contextmanager
def _opened() -> Iterator[Database]:
    """Open the biometric database of the settings; say in one sentence what is wrong."""
    with spoken_faults(console):
        engine = open_engine(MobileSettings().database_url)
        try:
            require_current(engine)
            yield Database(engine)
        finally:
            engine.dispose()


audit: Final = typer.Typer(
    no_args_is_help=True, help="What happened to accounts and phones, in a sealed chain."
)


@audit.command()
def verify(
    expect: Annotated[
        str | None, typer.Option(help="A digest that was noted earlier and must be in it.")
    ] = None,
) -> None:
    """Check that nothing was changed, removed or put in between; print the last digest.

    Note that digest somewhere else: without it nobody can tell that the end was cut off.
    """
    with _opened() as storage, storage.reading() as unit:
        entries = list(unit.audit.entries())
        last = require_whole(entries)
        if expect and expect not in {entry.digest.hex() for entry in entries}:
            raise AuditBroken("no entry has the digest that was noted: entries are missing")
    typer.echo("0 -" if last is None else f"{last.position} {last.digest.hex()}")


@audit.command()
def show(
    after: Annotated[int, typer.Option(help="Entries after this number only.", min=0)] = 0,
) -> None:
    """Print the entries, oldest first: number, time, event, details."""
    with _opened() as storage, storage.reading() as unit:
        for entry in unit.audit.entries(after):
            when = entry.at.isoformat(timespec="milliseconds")
            typer.echo(f"{entry.position} {when} {entry.event} {entry.details}")


def account_commands(clock: Clock) -> typer.Typer:
    """Return ``thenar account``.

    Args:
        clock: what time it is.
    """
    account = typer.Typer(no_args_is_help=True, help="Accounts of people, which have no names.")
    account.callback()(lambda: None)

    @account.command()
    def delete(
        code: Annotated[str, typer.Argument(help="The deletion code a phone showed.")],
    ) -> None:
        """Delete the account of a deletion code: nobody can be looked up otherwise.

        Templates are gone at once; a running service lets the provider forget the account
        within seconds, a stopped one when it starts.
        """
        with _opened() as storage:
            with storage.writing() as unit:
                erase_by_code(unit, code, clock())
            storage.compact()
        typer.echo("The account is deleted.")

    return account
