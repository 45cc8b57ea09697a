"""Output of commands: faults, progress, and where results are.

A ``BenchmarkFault`` ends a benchmark with a message instead of a traceback.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, TaskID

from engine.errors import EngineError


class BenchmarkFault(Exception):
    """The benchmark cannot be run as asked."""


console: Final = Console(stderr=True, highlight=False)

LOG_EVERY_S: Final = 60

Item = TypeVar("Item")


@contextmanager
def reported_faults() -> Iterator[None]:
    """Print a fault and exit with status 1."""
    try:
        yield
    except ModuleNotFoundError as fault:
        if fault.name != "matplotlib":
            raise
        console.print("[red]matplotlib is missing: pip install '.[bench]'[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    except _reported() as fault:
        console.print(f"[red]{escape(str(fault))}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault


def _reported() -> tuple[type[Exception], ...]:
    """Return the faults that are reported. Called for a fault only: help needs no service."""
    from httpx2 import HTTPError  # noqa: PLC0415

    from tests.support.service.process import ServiceFault  # noqa: PLC0415

    return BenchmarkFault, EngineError, ServiceFault, HTTPError


class Bars(Progress):
    """Progress bars; a log, which shows them at their end only, gets a line a minute."""

    _said_s = 0.0

    def __init__(self) -> None:
        super().__init__(console=console, auto_refresh=console.is_terminal)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Add what is done to a task."""
        super().advance(task_id, advance)
        if not console.is_terminal and perf_counter() > self._said_s + LOG_EVERY_S:
            self._said_s, task = perf_counter(), self.tasks[task_id]
            console.print(f"{task.description}: {task.completed:.0f} of {task.total:.0f}")


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Yield items, and show how many are done."""
    with Bars() as bars:
        yield from bars.track(items, total, description=what)


def print_written(path: Path) -> None:
    """Print where a result is, or its page beside it."""
    console.print(f"written to {path}", soft_wrap=True)
