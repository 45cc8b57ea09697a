"""What has to be reached, held against what was measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Bar:
    """One number that has to be reached.

    Attributes:
        name: of what is measured.
        value: that was measured.
        must: what it has to be; None: there is only a goal.
        goal: what it should be.
        unit: of all three.
        is_floor: whether more is better.
    """

    name: str
    value: float
    must: float | None
    goal: float
    unit: str
    is_floor: bool = False

    def verdict(self) -> str:
        """Return ``goal met``, ``met``, ``missed``, or ``goal missed`` if that is all."""
        if self._reaches(self.goal):
            return "goal met"
        if self.must is None:
            return "goal missed"
        return "met" if self._reaches(self.must) else "missed"

    def as_json(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {**asdict(self), "verdict": self.verdict()}

    def _reaches(self, bar: float) -> bool:
        return self.value >= bar if self.is_floor else self.value <= bar


def bar_table(title: str, bars: Sequence[Bar]) -> Table:
    """Return bars as people read them."""
    table = Table("bar", "measured", "must", "goal", "verdict", title=title, box=None)
    for bar in bars:
        sign = "≥" if bar.is_floor else "≤"
        must = "" if bar.must is None else f"{sign} {bar.must:g}"
        measured = f"{bar.value:g} {bar.unit}".rstrip()
        table.add_row(bar.name, measured, must, f"{sign} {bar.goal:g}", bar.verdict())
    return table
