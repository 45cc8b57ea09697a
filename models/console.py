"""Output of commands, and the faults that they report.

::

    ModelsError
    ├── PlanRefused          a training plan contradicts itself
    ├── DeviceMissing        the requested device does not exist
    ├── TorchMissing         the extra ``train`` is not installed
    ├── ExportDiffers        the exported network does not compute what torch computes
    ├── GraphFault           a network does not fit the shipped graph
    ├── OtherCollection      a folder holds hands drawn with other options
    └── CheckpointFault      a checkpoint is missing, damaged or of another network
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from engine.errors import ModelFault


class ModelsError(Exception):
    """Any error of the model tools."""


class PlanRefused(ModelsError):
    """A training plan contradicts itself."""


class DeviceMissing(ModelsError):
    """The requested device does not exist."""


class TorchMissing(ModelsError):
    """The extra ``train`` is not installed."""


class ExportDiffers(ModelsError):
    """The exported network does not compute what torch computes."""


class CheckpointFault(ModelsError):
    """A checkpoint is missing, damaged or of another network."""


class GraphFault(ModelsError):
    """A network does not fit the shipped graph."""


class OtherCollection(ModelsError):
    """The folder holds photos drawn to another plan."""


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
    columns = (
        TextColumn(title), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("· left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)
