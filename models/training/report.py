"""Shows the progress of a training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from rich.console import Console


class Report(Protocol):
    """Receives the progress of a training."""

    def advance(self, samples: int, share: float) -> None:
        """Report samples seen and the share of the schedule done."""

    def message(self, text: str) -> None:
        """Report one line of text."""


class RichReport:
    """A progress bar with the estimated end, as a context manager."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn(title), BarColumn(), TaskProgressColumn(),
            TextColumn("{task.fields[seen]}"),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=console,
        )  # fmt: skip
        self._task = self._progress.add_task(title, total=1.0, seen="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, samples: int, share: float) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=share, seen=f"{samples:,} samples")

    def message(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text)
