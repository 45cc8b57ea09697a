"""Opens the biometric database for a command of ``thenar gallery``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from mobile_api.cli.error_messages import report_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mobile_api.cli.opened import OpenDatabase

console: Final = Console(stderr=True, highlight=False)
answers: Final = Console(highlight=False)


def counted(title: str) -> Progress:
    """Return a progress bar with a count and the estimated end."""
    columns = TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console)


@contextmanager
def open_database() -> Iterator[OpenDatabase]:
    """Open what the settings name; report errors."""
    from mobile_api.cli.opened import opened  # noqa: PLC0415 - loads the database

    with report_errors(console), opened() as found:
        yield found
