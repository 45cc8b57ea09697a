"""Output of commands, and the one fault that they report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.progress import Progress

from engine.errors import ModelFault


class ModelsError(Exception):
    """A command of the models cannot do what was asked; the message says why."""


console: Final = Console(stderr=True, highlight=False)


@contextmanager
def reported_faults() -> Iterator[None]:
    """Print a fault and exit with status 1."""
    try:
        yield
    except (ModelsError, ModelFault) as fault:
        console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how much of a total is done; give what adds to it."""
    with Progress(console=console) as bar:
        task = bar.add_task(title, total=total)
        yield lambda count: bar.advance(task, count)
