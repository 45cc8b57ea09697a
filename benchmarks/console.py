"""Output of commands: faults, progress, and where results are.

A ``BenchmarkFault`` ends a benchmark with a message instead of a traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.markup import escape

from engine.errors import EngineError


class BenchmarkFault(Exception):
    """The benchmark cannot be run as asked."""


console: Final = Console(stderr=True, highlight=False)


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
    from tests.support.service.process import ServiceFault  # noqa: PLC0415

    return BenchmarkFault, EngineError, ServiceFault


def print_written(path: Path) -> None:
    """Print where a result is, or its page beside it."""
    console.print(f"written to {path}", soft_wrap=True)
