"""What has to be reached, held against what was measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """One number that has to be reached.

    Attributes:
        must: what it has to be.
        goal: what it should be.
        is_floor: whether more is better.
    """

    name: str
    value: float
    must: float
    goal: float
    unit: str
    is_floor: bool = False

    def verdict(self) -> str:
        """Return ``goal met``, ``met`` or ``missed``."""
        if self._reaches(self.goal):
            return "goal met"
        return "met" if self._reaches(self.must) else "missed"

    def as_json(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {**asdict(self), "verdict": self.verdict()}

    def _reaches(self, target: float) -> bool:
        return self.value >= target if self.is_floor else self.value <= target
