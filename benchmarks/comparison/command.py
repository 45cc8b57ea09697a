"""``thenar bench compare``: hold a new result against an old one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from benchmarks.comparison.judge import Change, Verdict, change
from benchmarks.comparison.quantities import (
    NotComparable,
    read_quantities,
    reported_method,
    require_same_data,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.comparison.judge import Quantity

TOLERANCE: Final = 0.1
"""Default half of the relative interval of a time or ratio: what runs in turn vary by on a
quiet machine.
"""

CAPTION: Final = "from, to: 95 % interval of new − old, in the same unit"

_answers = Console(highlight=False)
_console = Console(stderr=True, highlight=False)

Result = Annotated[
    Path,
    typer.Argument(exists=True, dir_okay=False, help="A result: NAME.json or report.json."),
]


def compare(
    old: Result,
    new: Result,
    *,
    tolerance: Annotated[
        float,
        typer.Option(min=0, max=1, help="Half of the relative interval of times and ratios."),
    ] = TOLERANCE,
) -> None:
    """Compare two results; exit with status 1 if something got worse beyond its interval.

    For results of accuracy, search, extract and oidc on the same data. Of accuracy, the method
    that is reported in full is compared. The interval of a difference comes from both results'
    95 % intervals. Times and ratios have none: they get --tolerance on either side; compare
    times of one machine only. Several quantities are judged: one in forty gets worse by chance.

    Exit status 2: the files are no such results, or of different benchmarks or data.
    """
    try:
        before, after = _read(old), _read(new)
        require_same_data(before, after)
        olds, news = (read_quantities(one, tolerance) for one in (before, after))
    except NotComparable as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(2) from fault
    changes = [change(olds[name], news[name]) for name in olds if name in news]
    if not changes:
        _console.print("[red]the results have no quantity in common[/]")
        raise typer.Exit(2)
    _answers.print(_table(changes))
    for note in _notes(before, after, olds.keys() ^ news.keys()):
        _console.print(f"[yellow]{escape(note)}[/]")
    worse = sum(each.verdict is Verdict.WORSE for each in changes)
    _answers.print(f"{worse} of {len(changes)} got worse beyond their interval")
    raise typer.Exit(1 if worse else 0)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise NotComparable(f"{path.name} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise NotComparable(f"{path.name} is no result of thenar bench")
    return content


def _notes(old: dict[str, Any], new: dict[str, Any], single: Iterable[str]) -> Iterator[str]:
    """Yield what limits the comparison."""
    if names := sorted(single):
        yield f"not compared, because only one result has them: {'; '.join(names)}"
    if reported_method(old) != reported_method(new):
        yield f"two methods: {reported_method(old)} and {reported_method(new)}"
    if old.get("machine") != new.get("machine"):
        yield "two machines: their times say little"


def _table(changes: Iterable[Change]) -> Table:
    table = Table(Column("quantity", overflow="fold"), box=None, caption=CAPTION)
    for heading in ("old", "new", "from", "to"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    style = {Verdict.WORSE: "[red]", Verdict.BETTER: "[green]", Verdict.UNDECIDED: "[dim]"}
    for each in changes:
        table.add_row(
            each.new.name,
            _shown(each.old.value, each.old),
            _shown(each.new.value, each.new),
            *(_number(end, each.new) for end in (each.low, each.high)),
            f"{style[each.verdict]}{each.verdict}[/]",
        )
    return table


def _shown(value: float, quantity: Quantity) -> str:
    return f"{_number(value, quantity)} {quantity.unit}"


def _number(value: float, quantity: Quantity) -> str:
    """Return three figures of a number, of a share those of its percentage."""
    return f"{100 * value if quantity.unit == '%' else value:.3g}"
