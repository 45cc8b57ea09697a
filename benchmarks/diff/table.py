"""Prints what changed between two results."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from benchmarks.console import console
from benchmarks.diff.judge import Change, Quantity, Verdict, change
from benchmarks.diff.quantities import (
    NotComparable,
    read_quantities,
    reported_method,
    require_same_data,
)

CAPTION: Final = "from, to: 95 % interval of new − old, in the same unit"

_answers = Console(highlight=False)


def print_changes(old: Path, new: Path, tolerance: float) -> int:
    """Print the changes; return 1 if one is for the worse, 2 if there is nothing to compare."""
    try:
        before, after = _read(old), _read(new)
        require_same_data(before, after)
        olds, news = (read_quantities(one, tolerance) for one in (before, after))
        changes = [change(olds[name], news[name]) for name in olds if name in news]
        if not changes:
            raise NotComparable("the results have no quantity in common")
    except NotComparable as fault:
        console.print(f"[red]{fault}[/]", soft_wrap=True)
        return 2
    _answers.print(_table(changes))
    for note in _notes(before, after, olds.keys() ^ news.keys()):
        console.print(f"[yellow]{escape(note)}[/]")
    worse = sum(each.verdict is Verdict.WORSE for each in changes)
    _answers.print(f"{worse} of {len(changes)} got worse beyond their interval")
    return 1 if worse else 0


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
