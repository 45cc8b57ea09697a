"""Judge whether a quantity changed by more than its intervals explain. Pure functions."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What two values say together."""

    BETTER = "better"
    WORSE = "WORSE"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured number.

    Attributes:
        name: the same in both results.
        low: lower end of the 95 % interval.
        is_floor: whether more is better.
        unit: ``%`` for shares of 0 to 1, which are shown as percentages.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str
    is_floor: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of a quantity, new minus old, with its 95 % interval."""

    old: Quantity
    new: Quantity
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """Tell whether the interval of the difference leaves out zero."""
        if self.low <= 0 <= self.high:
            return Verdict.UNDECIDED
        return Verdict.BETTER if (self.low > 0) == self.new.is_floor else Verdict.WORSE


def change(old: Quantity, new: Quantity) -> Change:
    """Return the difference of two values with the interval that theirs give.

    Zou and Donner 2008, after Newcombe 1998. Assumes independent samples: two runs on the same
    pictures differ less, so that fewer changes are shown than there are.
    """
    difference = new.value - old.value
    below = math.hypot(new.value - new.low, old.high - old.value)
    above = math.hypot(new.high - new.value, old.value - old.low)
    return Change(old, new, difference - below, difference + above)
