"""``thenar audit`` and ``thenar account``: what happened, and deleting for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.console import Console

from mobile_api.account.deletion import erase_by_code
from mobile_api.account.pending_erasures import wait_until_listed
from mobile_api.cli.error_messages import report_errors
from mobile_api.errors import AuditBroken
from mobile_api.observability.audit import require_whole
from mobile_api.server.configuration import utc_now
from mobile_api.server.provider import open_protocol_audit
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.migrate import require_current
from mobile_api.types import Clock
from oidc.types import AuditEntry

console: Final = Console(stderr=True, highlight=False)


class Which(StrEnum):
    """Whose log: each database keeps its own."""

    PROTOCOL = "protocol"
    BIOMETRIC = "biometric"
    BOTH = "both"


Log = Callable[[int], Iterator[AuditEntry]]
"""Gives the entries after a position, oldest first."""

_Which = Annotated[Which, typer.Option("--database", help="Whose log.")]


@contextmanager
def _open_biometric_database() -> Iterator[Database]:
    """Open the biometric database of the settings."""
    engine = open_engine(MobileSettings().database_url)
    try:
        require_current(engine)
        yield Database(engine)
    finally:
        engine.dispose()


@contextmanager
def _open_biometric_audit() -> Iterator[Log]:
    with _open_biometric_database() as storage, storage.reading() as transaction:
        yield transaction.audit.entries


def audit_commands(protocol: Callable[[], AbstractContextManager[Log]]) -> typer.Typer:
    """Return ``thenar audit``.

    Args:
        protocol: opens the log of the protocol database.
    """
    openers = {Which.PROTOCOL: protocol, Which.BIOMETRIC: _open_biometric_audit}
    audit = typer.Typer(
        no_args_is_help=True,
        help="What happened to clients, keys, accounts and phones, in two sealed chains.",
    )

    @contextmanager
    def logs(which: Which) -> Iterator[dict[Which, Log]]:
        """Open what is asked for; say in one sentence what is wrong."""
        with report_errors(console), ExitStack() as stack:
            asked = openers if which is Which.BOTH else {which: openers[which]}
            yield {name: stack.enter_context(opener()) for name, opener in asked.items()}

    @audit.command()
    def verify(
        database: _Which = Which.BOTH,
        expect: Annotated[
            list[str] | None,
            typer.Option(help="A digest noted earlier that must be in it. Repeatable."),
        ] = None,
    ) -> None:
        """Check that nothing was changed, removed or put in between; print the last digests.

        Note them somewhere else: without them nobody can tell that the end was cut off.
        """
        missing = set(expect or ())
        with logs(database) as found:
            newest = {name: _verified(log, missing) for name, log in found.items()}
            if missing:
                raise AuditBroken("no entry has a digest that was noted: entries are missing")
        for name, last in newest.items():
            typer.echo(f"{name} {'0 -' if last is None else _numbered(last)}")

    @audit.command()
    def show(
        database: _Which = Which.BOTH,
        after: Annotated[int, typer.Option(help="Entries after this number only.", min=0)] = 0,
    ) -> None:
        """Print the entries, oldest first: database, number, time, event, details."""
        with logs(database) as found:
            for name, log in found.items():
                for entry in log(after):
                    when = entry.at.isoformat(timespec="milliseconds")
                    typer.echo(f"{name} {entry.position} {when} {entry.event} {entry.details}")

    return audit


def _verified(log: Log, missing: set[str]) -> AuditEntry | None:
    """Check one chain and strike the digests it holds off those that are missing."""

    def seen() -> Iterator[AuditEntry]:
        for entry in log(0):
            missing.discard(entry.digest.hex())
            yield entry

    return require_whole(seen())


def _numbered(entry: AuditEntry) -> str:
    return f"{entry.position} {entry.digest.hex()}"


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
        within seconds, a stopped one when it starts. Told when the account is on the list of
        erasures, which no restored backup undoes.
        """
        with report_errors(console), _open_biometric_database() as storage:
            with storage.writing() as transaction:
                erased = erase_by_code(transaction, code, clock())
            storage.compact()
            wait_until_listed(storage, erased, MobileSettings().gallery_folder)
        typer.echo("The account is deleted.")

    return account


audit: Final = audit_commands(open_protocol_audit)
account: Final = account_commands(utc_now)
