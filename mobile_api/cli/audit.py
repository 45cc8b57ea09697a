"""``thenar audit``: the audit logs of both databases."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.console import Console

from mobile_api.cli.error_messages import report_errors
from mobile_api.errors import AuditBroken
from mobile_api.observability.audit import require_whole
from oidc.plumbing.audit_entry import AuditEntry

console: Final = Console(stderr=True, highlight=False)


class Which(StrEnum):
    """Which database's audit log."""

    PROTOCOL = "protocol"
    BIOMETRIC = "biometric"
    BOTH = "both"


Log = Callable[[int], Iterator[AuditEntry]]
"""Yields the entries after a position, oldest first."""

_Which = Annotated[Which, typer.Option("--database", help="Which log.")]


@contextmanager
def _open_biometric_audit() -> Iterator[Log]:
    from mobile_api.settings import MobileSettings  # noqa: PLC0415 - not for help
    from mobile_api.storage.database import open_database  # noqa: PLC0415

    with (
        open_database(MobileSettings().database_url) as database,
        database.read_in_transaction() as transaction,
    ):
        yield transaction.audit.entries


@contextmanager
def _open_protocol_audit() -> Iterator[Log]:
    from oidc.opening import open_database  # noqa: PLC0415 - not for help
    from oidc.settings import OidcSettings  # noqa: PLC0415

    with closing(open_database(OidcSettings())) as database, database.read() as stores:
        yield stores.audit.entries


_OPENERS: Final = {Which.PROTOCOL: _open_protocol_audit, Which.BIOMETRIC: _open_biometric_audit}

audit: Final = typer.Typer(
    no_args_is_help=True,
    help="Audit logs of clients, keys, accounts and phones, protected by hash chains.",
)


@contextmanager
def _logs(which: Which) -> Iterator[dict[Which, Log]]:
    """Open the requested logs; report errors."""
    with report_errors(console), ExitStack() as stack:
        asked = _OPENERS if which is Which.BOTH else {which: _OPENERS[which]}
        yield {name: stack.enter_context(opener()) for name, opener in asked.items()}


@audit.command()
def verify(
    database: _Which = Which.BOTH,
    expect: Annotated[
        list[str] | None,
        typer.Option(help="A digest noted earlier that must exist. Repeatable."),
    ] = None,
) -> None:
    """Check that no entry was changed, removed or inserted; print the last digests.

    Keep a copy on another host: without them a log that was cut off at its end looks complete.
    """
    missing = set(expect or ())
    with _logs(database) as found:
        newest = {name: _verified(log, missing) for name, log in found.items()}
        if missing:
            raise AuditBroken("an expected digest was not found: entries are missing")
    for name, last in newest.items():
        numbered = "0 -" if last is None else f"{last.position} {last.digest.hex()}"
        typer.echo(f"{name} {numbered}")


@audit.command()
def show(
    database: _Which = Which.BOTH,
    after: Annotated[int, typer.Option(help="Only entries after this number.", min=0)] = 0,
) -> None:
    """Print the entries, oldest first: database, number, time, event, details."""
    with _logs(database) as found:
        for name, log in found.items():
            for entry in log(after):
                when = entry.at.isoformat(timespec="milliseconds")
                typer.echo(f"{name} {entry.position} {when} {entry.event} {entry.details}")


def _verified(log: Log, missing: set[str]) -> AuditEntry | None:
    """Check one chain and strike the digests it holds off those that are missing."""

    def seen() -> Iterator[AuditEntry]:
        for entry in log(0):
            missing.discard(entry.digest.hex())
            yield entry

    return require_whole(seen())
